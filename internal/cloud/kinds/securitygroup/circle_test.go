package securitygroup_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// circle is two security groups, web and peers, whose rules refer to each other.
var circle = strings.Replace(object, "remoteGroupRef: clients", "remoteGroupRef: peers", 1) + `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: peers}
spec: {resource: {rules: [{ethertype: IPv4, protocol: tcp, remoteGroupRef: web}, {ethertype: IPv6, remoteGroupRef: peers}]}}
`

func TestLawsInACircle(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Key: key, Object: circle,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.stateful", Old: "stateful: true", New: "stateful: false", Replaces: true},
			{Field: "spec.resource.rules", Old: "max: 443}, remoteGroupRef: peers", New: "max: 444}, remoteGroupRef: peers"},
			{Field: "spec.resource.rules", Old: "remoteGroupRef: peers}\n    -", New: "remoteGroupRef: web}\n    -"},
		},
	}.Run(t)
}

// If an agent is killed while it creates the circle, its unfinished work does
// not count as drift.
func TestKilledCreationIsNoDrift(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(circle)
	for n := 1; ; n = g.NextWrite(n) {
		reached := g.SyncUntilKilled(circle, n)
		for _, step := range g.Plan(circle).Steps {
			if step.Drift {
				t.Errorf("killed after %d writes: %s %s counts as drift: %v", n, step.Action, step.Key, step.Changes)
			}
		}
		pass := g.MustSync(circle)
		if len(pass.LateDrift) > 0 {
			t.Errorf("killed after %d writes: counts as drift: %v", n, pass.LateDrift)
		}
		g.MustSync("")
		if !reached {
			return
		}
	}
}

// Neither the pass that makes a circle of groups nor the pass that replaces one
// of them reports drift.
func TestCircleIsNoDrift(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(circle)
	for _, doc := range []string{circle, strings.Replace(circle, "stateful: true", "stateful: false", 1)} {
		pass := g.MustSync(doc)
		for _, s := range append(pass.First.Steps, pass.LateDrift...) {
			if s.Drift {
				t.Errorf("%s %s counts as drift", s.Action, s.Key)
			}
		}
		if plan := g.Plan(doc); !plan.InSync() {
			t.Errorf("the plan is not empty afterwards: %v", plan.Summary())
		}
	}
}

// If somebody else removes a rule of a circle, that is drift, and the rule is
// restored.
func TestRuleTakenOutOfACircle(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(circle)
	g.MustSync(circle)
	c := g.Client(nil)
	rules, err := cloud.List[struct {
		ID       string `json:"id"`
		Group    string `json:"security_group_id"`
		RemoteID string `json:"remote_group_id"`
	}](t.Context(), c, cloud.Call{Service: cloud.Network, Path: "security-group-rules"}, "security_group_rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range g.Plan(circle).Steps {
		for _, r := range rules {
			if step.Key == key && r.Group == step.ID() && r.RemoteID != "" && r.RemoteID != r.Group {
				if err := c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: "security-group-rules/" + r.ID}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	corrected(t, g, circle, "a rule taken out of a circle")
}

// Random circles of groups become in sync, also after a change from one random
// repository to another. The plan afterwards is empty.
func TestRandomCirclesConverge(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(circle)
	for seed := range 12 {
		repo := rapid.Custom(anyGroups)
		for _, doc := range []string{repo.Example(2 * seed), repo.Example(2*seed + 1)} {
			if pass := g.Sync(doc); pass.Outcome() != plan.InSync {
				t.Fatalf("%s: %v\n%s", pass.Outcome(), pass.Failures, doc)
			}
			if plan := g.Plan(doc); !plan.InSync() {
				t.Fatalf("the plan is not empty: %v\n%s", plan.Summary(), doc)
			}
		}
		if pass := g.Sync(""); pass.Outcome() != plan.InSync || pass.Last.Owned != 0 {
			t.Fatalf("%s, %d groups left: %v", pass.Outcome(), pass.Last.Owned, pass.Failures)
		}
	}
}

func anyGroups(t *rapid.T) string {
	n := rapid.IntRange(1, 5).Draw(t, "groups")
	var b strings.Builder
	for i := range n {
		var rules []string
		for _, j := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, n, rapid.ID[int]).Draw(t, "named") {
			rules = append(rules, fmt.Sprintf("{ethertype: IPv4, remoteGroupRef: g%d}", j))
		}
		fmt.Fprintf(&b, "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: SecurityGroup\nmetadata: {name: g%d}\nspec: {resource: {stateful: %v, rules: [%s]}}\n",
			i, rapid.IntRange(0, 3).Draw(t, "stateful") > 0, strings.Join(rules, ", "))
	}
	return b.String()
}
