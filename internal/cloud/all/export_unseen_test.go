package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// TestAttackExportOfARuleFromAGroupThatIsNotSeen: a rule admits a security group or an address group that the
// cloud does not show. The export omits this rule, because in a manifest without that group the rule would admit everybody.
func TestAttackExportOfARuleFromAGroupThatIsNotSeen(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	h := hand{t: t, c: g.Client(nil)}
	addresses := h.make(cloud.Network, "address-groups", "address_group", map[string]any{"name": g.Stack, "addresses": []string{"192.0.2.0/24"}})
	other := h.make(cloud.Network, "security-groups", "security_group", map[string]any{"name": g.Stack + "-other"})
	web := h.make(cloud.Network, "security-groups", "security_group", map[string]any{"name": g.Stack})
	for port, from := range map[int]map[string]any{22: {"remote_group_id": other}, 23: {"remote_address_group_id": addresses}, 24: {"remote_ip_prefix": "198.51.100.0/24"}} {
		rule := map[string]any{"security_group_id": web, "direction": "ingress", "protocol": "tcp", "port_range_min": port, "port_range_max": port}
		for name, value := range from {
			rule[name] = value
		}
		h.make(cloud.Network, "security-group-rules", "security_group_rule", rule)
	}
	text, notes := exportedWithout(t, g, export.Input{Chosen: []export.Chosen{{Kind: "SecurityGroup", Name: "web", ID: web}}}, other, addresses)
	if strings.Contains(text, "min: 22") || strings.Contains(text, "min: 23") || !strings.Contains(text, "min: 24") {
		t.Errorf("only the rule of port 24 is to be written:\n%s", text)
	}
	for _, id := range []string{other, addresses} {
		if !slices.ContainsFunc(notes, func(n export.Note) bool {
			return n.Kind == "SecurityGroup" && strings.Contains(n.Text, id)
		}) {
			t.Errorf("nothing is said of %s: %v", id, notes)
		}
	}
	adopts(t, g, text)
}

// TestExportOfWhatNeedsWhatIsNotSeen: an object that needs another object, which the cloud does not show, is not
// adopted.
func TestExportOfWhatNeedsWhatIsNotSeen(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	h := hand{t: t, c: g.Client(nil)}
	network := h.make(cloud.Network, "networks", "network", map[string]any{"name": g.Stack})
	port := h.make(cloud.Network, "ports", "port", map[string]any{"name": g.Stack, "network_id": network})
	text, notes := exportedWithout(t, g, export.Input{Chosen: []export.Chosen{{Kind: "Port", Name: "web", ID: port}}}, network)
	if strings.Contains(text, "kind: Port") || !slices.ContainsFunc(notes, func(n export.Note) bool { return strings.Contains(n.Text, "cannot be adopted") }) {
		t.Errorf("written: %s, notes: %v", text, notes)
	}
}

// exportedWithout exports as if the cloud did not show the objects with these IDs.
func exportedWithout(t *testing.T, g *kindtest.Target, in export.Input, hidden ...string) (manifests string, notes []export.Note) {
	t.Helper()
	c := g.Client(nil)
	in.Kinds = all.Kinds(c, g.Defaults)
	in.Have = g.Engine(c).Survey(t.Context())
	for name, list := range in.Have {
		list.Items = slices.DeleteFunc(slices.Clone(list.Items), func(l *kind.Live) bool { return slices.Contains(hidden, l.ID) })
		in.Have[name] = list
	}
	r, err := export.Make(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return joined(r), r.Notes
}
