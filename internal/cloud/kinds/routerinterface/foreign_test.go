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

// An interface that somebody else has attached is neither adopted nor removed.
func TestAttachedBySomebodyElse(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Also("Port") // an interface that somebody else attached is listed as a Port
	g.MustSync(needs)
	c := g.Client(nil)
	router, subnet := idOf(t, g, needs, "Router/edge"), idOf(t, g, needs, "Subnet/web")
	body := map[string]any{"subnet_id": subnet}
	attach := cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router + "/add_router_interface", Body: body}
	if err := c.Do(t.Context(), attach); err != nil {
		t.Fatal(err)
	}
	reason := refused(t, g, needs+"\n---\n"+object)["RouterInterface/edge-web"]
	if !strings.Contains(reason, "192.168.70.1 of Subnet/web is taken by Port") || !strings.Contains(reason, "of router "+router+", which stack "+g.Stack+" did not make") {
		t.Errorf("refused: %q", reason)
	}
	detach := cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router + "/remove_router_interface", Body: body}
	if err := c.Do(t.Context(), detach); err != nil {
		t.Errorf("the interface of somebody else is gone: %v", err)
	}
}

// refused returns the reasons of a plan, by the object that it refuses.
func refused(t *testing.T, g *kindtest.Target, manifests string) map[string]string {
	t.Helper()
	reasons := map[string]string{}
	for _, step := range g.Plan(manifests).Steps {
		if step.Action == plan.Refuse {
			reasons[step.Key.String()] = step.FullCause()
		}
	}
	return reasons
}

// A router has at most one interface to a subnet, and only one router can have
// the address of the subnet's gateway.
func TestTwoInterfacesOfOneSubnet(t *testing.T) {
	to := func(name, router, subnet string) string {
		return strings.NewReplacer("name: edge-web", "name: "+name, "routerRef: edge", "routerRef: "+router, "subnetRef: web", "subnetRef: "+subnet).Replace("\n---\n" + object)
	}
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(needs, needs+to("one", "edge", "web"))
	for name, c := range map[string]struct{ objects, values string }{ // values are parts of the reason
		"one router":             {to("one", "edge", "web") + to("two", "edge", "web"), "Subnet web of Router/edge RouterInterface/one"},
		"two routers":            {to("one", "edge", "web") + to("two", "inner", "web"), "192.168.70.1 of Subnet/web RouterInterface/one"},
		"one router, no gateway": {to("one", "edge", "app") + to("two", "edge", "app"), "Subnet app of Router/edge RouterInterface/one"},
		"overlapping subnets": {to("one", "edge", "web") + to("two", "edge", "same") +
			"\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: back}\nspec: {resource: {}}" +
			"\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: same}\nspec: {resource: {networkRef: back, ipVersion: 4, cidr: 192.168.70.0/25, gateway: {type: None}}}\n",
			"192.168.70.0/25 of Router/edge RouterInterface/one"},
		"two routers and no gateway": {to("one", "edge", "app") + to("two", "inner", "app"), ""},
	} {
		why := refused(t, g, needs+c.objects)["RouterInterface/two"]
		if (why == "") != (c.values == "") {
			t.Errorf("%s: refused: %q", name, why)
		}
		for _, value := range strings.Fields(c.values) {
			if !strings.Contains(why, value) {
				t.Errorf("%s: refused: %q, want %s", name, why, value)
			}
		}
	}
	g.MustSync(needs + to("one", "edge", "app") + to("two", "inner", "app"))
	renamed := needs + to("three", "edge", "app") + to("two", "inner", "app")
	if reasons := refused(t, g, renamed); len(reasons) > 0 {
		t.Errorf("renamed: %v", reasons)
	}
	g.MustSync(renamed)
}

// If the manifest changes the gateway, the interface does not claim the old
// address of the gateway.
func TestGatewayThatIsAboutToChange(t *testing.T) {
	const held = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: machine}
spec: {resource: {networkRef: front, addresses: [{subnetRef: web, ip: 192.168.70.1}]}}
`
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(needs, needs+held+"---"+object)
	g.MustSync(needs + held)
	if why := refused(t, g, needs+held+"---"+object)["RouterInterface/edge-web"]; !strings.Contains(why, " Port/machine") {
		t.Errorf("refused: %q", why)
	}
	moved := strings.Replace(needs, "cidr: 192.168.70.0/24", "cidr: 192.168.70.0/24, gateway: {type: IP, ip: 192.168.70.254}", 1)
	if reasons := refused(t, g, moved+held+"---"+object); len(reasons) > 0 {
		t.Errorf("with another gateway: %v", reasons)
	}
}
