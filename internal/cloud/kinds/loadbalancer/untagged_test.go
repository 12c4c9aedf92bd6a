package loadbalancer_test

import (
	"net/http"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// If somebody has overwritten the tags of a load balancer, it is still recognised as the stack's. Its children are
// compared, and not created a second time.
func TestTagsThatSomebodyWroteAnew(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	c := g.Client(nil)
	e := g.Engine(c)
	sync := func() engine.Pass {
		t.Helper()
		pass := e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(object)})
		if pass.Outcome() != plan.InSync {
			t.Fatalf("%s: %v", pass.Outcome(), pass.Failures)
		}
		return pass
	}
	pools := func() int {
		t.Helper()
		var answer struct{ Pools []struct{} }
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.LoadBalancer, Path: "lbaas/pools", Into: &answer}); err != nil {
			t.Fatal(err)
		}
		return len(answer.Pools)
	}
	g.Only(object)
	id := stepOf(t, sync().Last).ID()
	before := pools()
	anew := cloud.Call{Service: cloud.LoadBalancer, Method: http.MethodPut, Path: "lbaas/loadbalancers/" + id, Body: map[string]any{"loadbalancer": map[string]any{"tags": []string{"mine"}}}}
	if err := c.Do(t.Context(), anew); err != nil {
		t.Fatal(err)
	}
	if s := stepOf(t, sync().Last); s.ID() != id || s.Have.Mark == nil {
		t.Errorf("it is %s and was %s", s.ID(), id)
	}
	if after := pools(); after != before {
		t.Errorf("there are %d pools, and were %d", after, before)
	}
}
