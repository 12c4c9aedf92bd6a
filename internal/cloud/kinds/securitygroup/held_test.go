package securitygroup_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const guarded = `
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: lan}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: web}, spec: {resource: {networkRef: lan, securityGroupRefs: [web]}}}
`

// Neutron does not delete a security group while a port has it, so the plan refuses to replace the group. Once the port has another group,
// the first group is replaced.
func TestAGroupInUseIsNotReplaced(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := needs + "---" + object + guarded
	g.Only(doc)
	g.MustSync(doc)
	stateless := strings.Replace(doc, "stateful: true", "stateful: false", 1)
	for _, s := range g.Planner(stateless)(stateless).Steps {
		want := plan.Keep
		if s.Key == key {
			want = plan.Refuse
		}
		if s.Action != want || s.Key == key && !strings.Contains(s.FullCause(), "Port/web") {
			t.Errorf("%s: %s: %s; want %s", s.Key, s.Action, s.FullCause(), want)
		}
	}
	moved := strings.Replace(stateless, "securityGroupRefs: [web]", "securityGroupRefs: [clients]", 1)
	g.MustSync(moved)
	g.MustSync(strings.Replace(moved, "securityGroupRefs: [clients]", "securityGroupRefs: [web]", 1))
}

// The web group has a rule that is left to others, so the agent does not replace that group. It does not replace the clients group either:
// Neutron would delete the rule, too, because the rule refers to the clients group.
func TestAGroupWithRulesOfOthersIsNotReplaced(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := strings.Replace(needs, "metadata: {name: clients", "metadata: {annotations: {stackreeve.dev/replace: allow}, name: clients", 1) + "---" + object
	g.Only(doc)
	made := g.MustSync(doc)
	ids := map[string]string{}
	for _, s := range made.Last.Steps {
		ids[s.Key.Name] = s.ID()
	}
	var answer struct {
		Rule struct {
			ID string `json:"id"`
		} `json:"security_group_rule"`
	}
	if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPost, Path: "security-group-rules", Into: &answer,
		Body: map[string]any{"security_group_rule": map[string]any{"security_group_id": ids["web"], "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp",
			"port_range_min": 4711, "port_range_max": 4711, "remote_group_id": ids["clients"]}}}); err != nil {
		t.Fatal(err)
	}
	theirs := strings.Replace(doc, "metadata: {name: web", "metadata: {annotations: {stackreeve.dev/replace: allow, stackreeve.dev/ignore-fields: 'spec.resource.rules["+answer.Rule.ID+"]'}, name: web", 1)
	g.MustSync(theirs)
	for replaced, next := range map[string]string{
		"web":     strings.Replace(theirs, "stateful: true", "stateful: false", 1),
		"clients": strings.Replace(theirs, "spec: {resource: {", "spec: {resource: {stateful: false, ", 1),
	} {
		for _, s := range g.Plan(next).Steps {
			if s.Key.Name == replaced && (s.Action != plan.Refuse || !s.Causes.Has(cause.TakesLeft) || !strings.Contains(s.FullCause(), answer.Rule.ID)) {
				t.Errorf("%s: %s: %s", s.Key, s.Action, s.FullCause())
			}
		}
	}
}
