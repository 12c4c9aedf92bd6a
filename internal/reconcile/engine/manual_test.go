package engine

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// inTurn runs a pass in a synctest bubble, where waiting takes no real time.
func inTurn(t *testing.T, w *thingtest.World, e *Engine, rev Revision, lines ...string) (pass Pass) {
	t.Helper()
	var err error
	if rev.Want, err = w.Wanted(lines...); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(*testing.T) { pass = e.Sync(context.Background(), rev) })
	return pass
}

func TestNothingOfASuspendedStackIsCarriedOut(t *testing.T) {
	w := thingtest.New()
	e := engineOf(w)
	inTurn(t, w, e, Revision{}, "a", "b")
	writes := w.Writes
	e.Limits = nothing
	suspended := Revision{Commit: "c", Policies: []plan.Policy{guard.Suspend("for a test")}}
	pass := inTurn(t, w, e, suspended, "a colour=red", "c atop=a")
	if w.Writes != writes || pass.Outcome() != plan.OutOfSync || pass.First.Held != nil || pass.Last.Suspended != "for a test" {
		t.Errorf("%d writes, %s, held %q, suspended %q", w.Writes-writes, pass.Outcome(), pass.First.Held, pass.Last.Suspended)
	}
	if got := pass.Last.Differing(); got != 3 || len(pass.Failures) != 0 {
		t.Errorf("%d differ with %v, want 3 and no failure", got, pass.Failures)
	}
	suspended.Approved, suspended.Only = []plan.Approval{{Hash: pass.First.Hash()}}, pass.First.Hash()
	if inTurn(t, w, e, suspended, "a colour=red", "c atop=a"); w.Writes != writes {
		t.Error("an approval is stronger than a suspension")
	}
	if pass = inTurn(t, w, e, suspended, "a", "b"); pass.Outcome() != plan.InSync {
		t.Errorf("what is as wanted is %s", pass.Outcome())
	}
}

func TestEveryChangeOfAManualStackWaitsForAnApproval(t *testing.T) {
	w := thingtest.New()
	e := engineOf(w)
	rev := Revision{Commit: "c", Policies: []plan.Policy{guard.Manual("for a test")}}
	held := inTurn(t, w, e, rev, "a", "b atop=a")
	if w.Writes != 0 || !held.First.Held.Has(cause.EveryChange) || !held.First.Held.Names("for a test") {
		t.Fatalf("%d writes, held %q", w.Writes, held.First.Held)
	}
	rev.Approved = []plan.Approval{{Hash: held.First.Hash(), By: "Ann"}}
	pass := inTurn(t, w, e, rev, "a", "b atop=a")
	if pass.Outcome() != plan.InSync || pass.First.Approved == nil || pass.First.Approved.By != "Ann" {
		t.Fatalf("%s, approved %v, held %q", pass.Outcome(), pass.First.Approved, pass.First.Held)
	}
	// If the stack is in sync, no plan is held.
	if pass = inTurn(t, w, e, rev, "a", "b atop=a"); pass.First.Held != nil {
		t.Errorf("held without a change: %s", pass.First.Held)
	}
	// The approval was for that plan. The plan that creates a deleted object again is another one.
	delete(w.Things, "id-002")
	if pass = inTurn(t, w, e, Revision{Commit: "c", Policies: rev.Policies, Synced: true}, "a", "b atop=a"); pass.First.Held == nil || len(pass.Results) != 0 {
		t.Errorf("drift was corrected: %v", pass.Results)
	}
}

// A standing approval does not cover drift. The plan that recreates a deleted object has the same hash as the plan that first created it.
func TestAStandingApprovalIsNotForDrift(t *testing.T) {
	w := thingtest.New()
	e := engineOf(w)
	rev := Revision{Commit: "c", Policies: []plan.Policy{guard.Manual("for a test")}}
	held := inTurn(t, w, e, rev, "a")
	rev.Approved = []plan.Approval{{Hash: held.First.Hash(), Commit: "c", Proof: held.First.Proof(), Standing: true}}
	if pass := inTurn(t, w, e, rev, "a"); pass.Outcome() != plan.InSync {
		t.Fatalf("what was approved: %s, %s", pass.Outcome(), pass.First.Held)
	}
	clear(w.Things)
	rev.Synced = true
	pass := inTurn(t, w, e, rev, "a")
	if len(w.Names()) != 0 || !pass.First.Held.Has(cause.NotSince) {
		t.Errorf("made %v, held %q", w.Names(), pass.First.Held)
	}
	if pass.First.Hash() != held.First.Hash() {
		t.Error("the hashes differ, so the test says nothing")
	}
	rev.Approved[0].Standing = false
	if pass = inTurn(t, w, e, rev, "a"); pass.Outcome() != plan.InSync {
		t.Errorf("approved afresh: %s, %s", pass.Outcome(), pass.First.Held)
	}
}

// Drift that is found while a pass runs is not corrected before it is approved separately. That is so if all changes need an approval, and
// if the pass was requested for one plan only.
func TestDriftDuringAnApprovedPassWaits(t *testing.T) {
	for name, policies := range map[string][]plan.Policy{"manual": {guard.Manual("for a test")}, "only that plan": nil} {
		t.Run(name, func(t *testing.T) {
			w := thingtest.New()
			e := engineOf(w)
			inTurn(t, w, e, Revision{}, "calm", "x")
			w.Delay = 3
			rev := Revision{Commit: "c", Policies: policies, Only: "another"}
			lines := []string{"calm", "x", "new", "top atop=new"}
			hash := inTurn(t, w, e, rev, lines...).First.Hash()
			if rev.Approved, rev.Only = []plan.Approval{{Hash: hash}}, ""; policies == nil {
				rev.Only = hash
			}
			once := false
			w.Wrote = func() {
				if !once {
					once = true
					w.Things["id-001"].Colour = "green"
				}
			}
			pass := inTurn(t, w, e, rev, lines...)
			if !slices.Contains(w.Names(), "top") {
				t.Errorf("made %v; what was approved is to be done: %s", w.Names(), pass.First.Held)
			}
			if got := w.Things["id-001"].Colour; got != "green" {
				t.Errorf("calm is %q: it was corrected without an approval", got)
			}
		})
	}
}
