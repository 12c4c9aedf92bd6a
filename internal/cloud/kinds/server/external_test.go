package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

const outside = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: public}
spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: out}
spec: {resource: {networkRef: public, addresses: [{}]}}
`

// If a project member creates a machine on an external network, Nova accepts the request, but the machine fails much
// later, unless the cloud's operators allow it. The plan warns of that, and refuses nothing. (Launchpad 2137673)
func TestAnExternalNetworkMayTakeNoMachinesOfMembers(t *testing.T) {
	doc := needs + "---" + outside + "---" + strings.Replace(object, "ports: []", "ports: [{portRef: out}]", 1)
	for who, warned := range map[string]bool{"": true, "admin": false} {
		g := kindtest.NewTarget(t, pluggedKinds)
		if who != "" {
			g = g.Beside(who)
		}
		g.Only(doc)
		p := g.Plan(doc)
		for _, s := range p.Steps {
			if s.Key == key && s.Action != plan.Create {
				t.Errorf("%q: %s: %s", who, s.Action, s.FullCause())
			}
		}
		doubts := preflight.LikelyRefusals(p, pluggedKinds(g.Client(nil), g.Defaults))
		if found := len(doubts) == 1 && slices.Equal(doubts[0].Keys, []manifest.Key{key}); found != warned || !warned && len(doubts) > 0 {
			t.Errorf("%q: %v", who, doubts)
		}
		_, needs := g.Engine(g.Client(nil)).PreviewOf(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(doc)})
		if needs.Warnings.Is(cause.Doubtful) != warned {
			t.Errorf("%q: the plan warns of %q", who, needs.Warnings)
		}
	}
}

// If the cloud may refuse the replacement of a machine, the machine is not deleted, unless its own annotation allows
// that.
func TestADoubtfulMachineTakesNobodysPlace(t *testing.T) {
	g := kindtest.NewTarget(t, pluggedKinds)
	before := needs + "---" + object
	g.Only(needs + "---" + outside + "---" + object)
	g.MustSync(before)
	after := strings.NewReplacer("ports: []", "ports: [{portRef: out}]", "availabilityZone: az-a", "availabilityZone: az-b").Replace(needs + "---" + outside + "---" + object)
	for annotation, want := range map[string]plan.Action{"": plan.Refuse, ", annotations: {stackreeve.dev/replace: allow}": plan.Recreate} {
		annotated := strings.Replace(after, "metadata: {name: web", "metadata: {name: web"+annotation, 1)
		for _, s := range g.Planner(annotated)(annotated).Steps {
			if s.Key == key && (s.Action != want || want == plan.Refuse && !s.Causes.Has(cause.AnotherDoubtful)) {
				t.Errorf("%q: %s: %s, %v", annotation, s.Action, s.FullCause(), s.Changes)
			}
		}
	}
}
