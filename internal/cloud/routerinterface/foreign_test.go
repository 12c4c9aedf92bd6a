package routerinterface_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func idOf(t *testing.T, g *kindtest.Target, manifests, key string) string {
	t.Helper()
	for _, step := range g.Plan(manifests).Steps {
		if step.Key.String() == key {
			return step.ID()
		}
	}
	t.Fatalf("no %s", key)
	return ""
}

// What somebody else has attached is neither taken over nor removed.
func TestAttachedBySomebodyElse(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(needs, needs+"\n---\n"+object)
	g.MustSync(needs)
	c := g.Client(nil)
	router, subnet := idOf(t, g, needs, "Router/edge"), idOf(t, g, needs, "Subnet/web")
	body := map[string]any{"subnet_id": subnet}
	attach := cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router + "/add_router_interface", Body: body}
	if err := c.Do(t.Context(), attach); err != nil {
		t.Fatal(err)
	}
	g.Sync(needs + "\n---\n" + object)
	refused := 0
	for _, step := range g.Plan(needs + "\n---\n" + object).Steps {
		if step.Action == plan.Refuse && strings.Contains(step.Reason, "of Subnet/web is taken by Port") && strings.Contains(step.Reason, "of router "+router) {
			refused++
		}
	}
	if refused != 1 {
		t.Errorf("%d steps are refused for the gateway's address", refused)
	}
	detach := cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router + "/remove_router_interface", Body: body}
	if err := c.Do(t.Context(), detach); err != nil {
		t.Errorf("the interface of somebody else is gone: %v", err)
	}
}
