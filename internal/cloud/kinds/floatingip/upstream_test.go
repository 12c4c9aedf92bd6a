package floatingip_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Two floating IPs exchange their ports in one pass, although Neutron does not associate two floating IPs with the same
// fixed address (K-ORC issue 466).
func TestAddressesChangePlaces(t *testing.T) {
	const two = "\n---\n{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: FloatingIP, metadata: {name: blue}, spec: {resource: {floatingNetworkRef: public, portRef: web-1, fixedIP: 192.168.50.10}}}" +
		"\n---\n{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: FloatingIP, metadata: {name: green}, spec: {resource: {floatingNetworkRef: public, portRef: web-2, fixedIP: 192.168.50.20}}}\n"
	g := kindtest.NewTarget(t, all.Kinds)
	before := needs + two
	after := needs + strings.NewReplacer("web-1, fixedIP: 192.168.50.10", "web-2, fixedIP: 192.168.50.20", "web-2, fixedIP: 192.168.50.20", "web-1, fixedIP: 192.168.50.10").Replace(two)
	g.Only(before)
	g.MustSync(before)
	ids := idsOf(g.Plan(before))
	g.MustSync(after)
	if now := idsOf(g.Plan(after)); now["blue"] != ids["blue"] || now["green"] != ids["green"] {
		t.Errorf("addresses were %v and are %v", ids, now)
	}
}

func idsOf(p plan.Plan) map[string]string {
	ids := map[string]string{}
	for _, s := range p.Steps {
		if s.Key.Kind == "FloatingIP" {
			ids[s.Key.Name] = s.ID()
		}
	}
	return ids
}

// A floating IP that somebody else has allocated and that is not associated is not adopted, even if it equals the
// manifest (K-ORC issue 757).
func TestAddressOfSomebodyElse(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(needs + "---" + object)
	public := ""
	for _, s := range g.MustSync(needs).Last.Steps {
		if s.Key.String() == "Network/public" {
			public = s.ShownID()
		}
	}
	var made struct {
		Address struct{ ID string } `json:"floatingip"`
	}
	c := g.Client(nil)
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPost, Path: "floatingips", Into: &made,
		Body: map[string]any{"floatingip": map[string]any{"floating_network_id": public, "description": "the way in"}}}); err != nil {
		t.Fatal(err)
	}
	call := cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: "floatingips/" + made.Address.ID}
	g.MustSync(needs + "---" + object)
	if ids := idsOf(g.Plan(needs + "---" + object)); ids["www"] == made.Address.ID {
		t.Error("the stack has taken it")
	}
	g.MustSync("")
	if err := c.Do(t.Context(), call); err != nil {
		t.Errorf("what somebody else has taken: %v", err)
	}
}
