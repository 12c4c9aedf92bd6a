package routerinterface_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
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
	pass := g.Sync(needs + "\n---\n" + object)
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason, "which no stack made") {
		t.Errorf("failures: %v", pass.Failures)
	}
	detach := cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router + "/remove_router_interface", Body: body}
	if err := c.Do(t.Context(), detach); err != nil {
		t.Errorf("the interface of somebody else is gone: %v", err)
	}
}
