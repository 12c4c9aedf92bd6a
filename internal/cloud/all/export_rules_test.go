package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// A rule for pings has a type and no code. A security group with such a rule is adopted and corrected. So is a
// group with a rule whose protocol is known only by its number. (hashicorp/terraform#4716,
// terraform-provider-openstack#101)
func TestAGroupWithAPingRuleIsManaged(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	h := hand{t: t, c: g.Client(nil)}
	group := h.make(cloud.Network, "security-groups", "security_group", map[string]any{"name": "ping"})
	add := func(rule map[string]any) {
		rule["security_group_id"], rule["direction"] = group, "ingress"
		h.make(cloud.Network, "security-group-rules", "security_group_rule", rule)
	}
	add(map[string]any{"protocol": "icmp", "port_range_min": 8})
	add(map[string]any{"protocol": "ipv6-icmp", "ethertype": "IPv6", "port_range_min": 128})
	add(map[string]any{"protocol": "103"})
	add(map[string]any{"protocol": "ip"})
	add(map[string]any{"protocol": "tcp", "port_range_min": 22, "port_range_max": 22, "remote_ip_prefix": "10.0.0.1/8"})
	text, notes := exported(t, g, export.Input{Only: []string{"SecurityGroup"}})
	if strings.Contains(text, "ignore-fields") || !strings.Contains(text, `protocol: "103"`) || len(notes) > 0 {
		t.Errorf("%v\n%s", notes, text)
	}
	g.Only(text)
	adopts(t, g, text)
	add(map[string]any{"protocol": "tcp", "port_range_min": 22, "port_range_max": 22, "remote_ip_prefix": "0.0.0.0/0"})
	p := g.Plan(text)
	if i := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Key.Name == "ping" }); p.Steps[i].Action != plan.Update || !p.Steps[i].Drift {
		t.Errorf("SSH for everybody is not noticed: %+v", p.Steps[i])
	}
	g.MustSync(text)
}

// The status of an object that is in sync names each field that an annotation makes the agent ignore.
func TestStatusNamesWhatIsLeftToTheCloud(t *testing.T) {
	const text = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: open, annotations: {stackreeve.dev/ignore-fields: spec.resource.rules}}
spec: {resource: {description: d}}
`
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(text)
	g.MustSync(text)
	for _, o := range status.Of(g.Plan(text), all.Kinds(nil, g.Defaults)) {
		if o.Kind != "SecurityGroup" {
			continue
		}
		if o.Status.State != status.StateInSync || !strings.Contains(o.Status.Message, "spec.resource.rules") || !strings.Contains(o.Status.Conditions[1].Message, "spec.resource.rules") {
			t.Errorf("%+v", o.Status)
		}
	}
}
