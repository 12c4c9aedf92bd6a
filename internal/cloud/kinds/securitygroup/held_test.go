package securitygroup_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const guarded = `
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: lan}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: web}, spec: {resource: {networkRef: lan, securityGroupRefs: [web]}}}
`

// Neutron deletes no group that guards a port, so the plan refuses to replace it. Once the port has another one, the group goes.
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
		if s.Action != want || s.Key == key && !strings.Contains(s.Reason(), "Port/web") {
			t.Errorf("%s: %s: %s; want %s", s.Key, s.Action, s.Reason(), want)
		}
	}
	moved := strings.Replace(stateless, "securityGroupRefs: [web]", "securityGroupRefs: [clients]", 1)
	g.MustSync(moved)
	g.MustSync(strings.Replace(moved, "securityGroupRefs: [clients]", "securityGroupRefs: [web]", 1))
}
