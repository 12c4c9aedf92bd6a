package loadbalancer_test

import (
	"net/http"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// Somebody may delete a pool after the pools were listed and before its members are listed. The list of load balancers
// still succeeds, and the agent waits for the load balancer of that pool.
func TestPoolGoesWhileItIsListed(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("needs a list that is made in between")
	}
	g.MustSync(object)
	_, err := g.Simulator.AddFault(simulator.Fault{Service: "load-balancer", Method: http.MethodGet, Path: "/pools/[^/]+/members$", Status: http.StatusNotFound})
	if err != nil {
		t.Fatal(err)
	}
	if s := stepOf(t, g.Plan(object)); s.Action != plan.Wait || s.FullCause() != "pool front-80 is PENDING_DELETE" && s.FullCause() != "pool front-5353-udp is PENDING_DELETE" {
		t.Errorf("%s: %s", s.Action, s.FullCause())
	}
	g.Simulator.ClearFaults()
	if s := stepOf(t, g.Plan(object)); s.Action != plan.Keep {
		t.Errorf("afterwards %s: %s", s.Action, s.FullCause())
	}
}
