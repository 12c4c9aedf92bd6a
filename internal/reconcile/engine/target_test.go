package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// A limited pass replaces an object together with its users, through all rounds, and touches nothing else.
func TestALimitedPass(t *testing.T) {
	w := thingtest.New()
	syncPass(t, w, engineOf(w), "a", "near near=a", "atop atop=a", "b", "gone")
	want, err := w.Wanted("a shape=flat", "near near=a", "atop atop=a", "b colour=blue", "new")
	if err != nil {
		t.Fatal(err)
	}
	e := engineOf(w)
	rev := Revision{Want: want, Targets: []plan.Target{{Kind: "Thing", Namespace: manifest.DefaultNamespace, Name: "a"}}}
	var pass Pass
	synctest.Test(t, func(*testing.T) { pass = e.Sync(context.Background(), rev) })
	wrote := map[string]bool{}
	for _, r := range pass.Results {
		wrote[r.Step.Key.Name] = true
	}
	if len(pass.Failures) > 0 || wrote["b"] || wrote["new"] || wrote["gone"] || !wrote["a"] || !wrote["near"] || !wrote["atop"] {
		t.Errorf("wrote %v; %s", wrote, failed(pass))
	}
	if pass.Outcome() != plan.OutOfSync || pass.Last.Summary().Left != 3 || pass.Last.Summary().Writes() != 0 {
		t.Errorf("%s, %+v\n%s", pass.Outcome(), pass.Last.Summary(), stepsOf(pass.Last))
	}
	rest := e.Preview(context.Background(), "c", want, nil)
	if n := rest.Summary().Writes(); n != 3 {
		t.Errorf("%d steps are left\n%s", n, stepsOf(rest))
	}
}

// An approval of a plan for some members of a group says nothing about the other members. So the mark of the new member must not show them as
// approved.
func TestALimitedApprovalIsNotForTheGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHerd()
		if pass := h.sync(t, 3, "round"); pass.Outcome() != plan.InSync {
			t.Fatal(failed(pass))
		}
		h.engine.Limits = nothing
		all := h.sync(t, 3, "flat")
		rev := Revision{Want: h.past[len(h.past)-1], EarlierCommits: h.earlier, Recreate: true, Targets: []plan.Target{{Kind: "Thing", Namespace: manifest.DefaultNamespace, Name: "sheep-0"}}}
		held := h.engine.Sync(t.Context(), rev)
		if all.First.Held == nil || held.First.Held == nil {
			t.Fatalf("%v, %v", all.First.Held, held.First.Held)
		}
		rev.Only, rev.Approved = held.First.Hash(), []plan.Approval{{Hash: held.First.Hash()}}
		if pass := h.engine.Sync(t.Context(), rev); pass.Writes() == 0 || len(pass.Failures) > 0 {
			t.Fatalf("%d writes; %s", pass.Writes(), failed(pass))
		}
		for _, x := range h.Things { // a member that shows an approval is younger than the others
			if x.Created = time.Now(); x.Name != "sheep-0" {
				x.Created = x.Created.Add(-time.Hour)
			}
		}
		h.engine = engineWith(h)
		h.engine.Limits = nothing
		if rest := h.sync(t, 3, "flat"); rest.First.Held == nil || rest.Writes() != 0 {
			t.Errorf("held: %v, %d writes\n%s", rest.First.Held, rest.Writes(), stepsOf(rest.First))
		}
	})
}
