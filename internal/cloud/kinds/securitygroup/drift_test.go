package securitygroup_test

import (
	"net/http"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func TestRulesChangedByHand(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := needs + "\n---\n" + object
	g.Only(doc)
	pass := g.MustSync(doc)
	c := g.Client(nil)
	for _, step := range pass.Last.Steps {
		if step.Key != key {
			continue
		}
		body := map[string]any{"security_group_id": step.ID(), "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp", "port_range_min": 22, "port_range_max": 22}
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPost, Path: "security-group-rules", Body: map[string]any{"security_group_rule": body}}); err != nil {
			t.Fatal(err)
		}
	}
	corrected(t, g, doc, "a rule added by hand")
	list, err := cloud.List[struct {
		ID        string `json:"id"`
		Direction string `json:"direction"`
		Group     string `json:"security_group_id"`
	}](t.Context(), c, cloud.Call{Service: cloud.Network, Path: "security-group-rules"}, "security_group_rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range pass.Last.Steps {
		for _, r := range list {
			if step.Key != key || r.Group != step.ID() {
				continue
			}
			if err := c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: "security-group-rules/" + r.ID}); err != nil {
				t.Fatal(err)
			}
		}
	}
	corrected(t, g, doc, "all rules removed by hand")
}

func corrected(t *testing.T, g *kindtest.Target, doc, what string) {
	t.Helper()
	noticed := false
	for _, step := range g.Plan(doc).Steps {
		noticed = noticed || step.Key == key && step.Drift && kind.Has(step.Changes, "spec.resource.rules")
	}
	if !noticed {
		t.Errorf("%s: not noticed as drift", what)
	}
	g.MustSync(doc)
	if pass := g.MustSync(doc); len(pass.Results) > 0 {
		t.Errorf("%s: not corrected in one pass: %v", what, pass.Results)
	}
}
