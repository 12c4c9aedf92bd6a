package branch_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

func TestTheOutcomeGoesOnTopOfThePlan(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "+a")
		w.Visit()
		commit := w.Merge(1, head)
		done := plan.Plan{Stack: "prod", Commit: commit, Stock: plan.Stock{Owned: 1}}
		w.Branch.Planned(planOf(commit, "+a"), preflight.Findings{})
		w.Repo.Outbox.Flush(w.Context())
		w.WantStatus(commit, "sync", forge.Pending, "1 to create")
		w.Pass(commit, planOf(commit, "+a"), done)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Success, "in sync: 1 object")
		w.WantStatus(commit, "drift", forge.Success, "no drift")
		got := w.Comments(1)
		if len(got) != 1 || !strings.Contains(got[0], divider) || !strings.Contains(got[0], "1 to create") {
			t.Errorf("comments %q; want the outcome above the plan", got)
		}
		w.Forge.Writes()
		for range 3 {
			w.Pass(commit, done, done)
			w.Visit()
		}
		w.Restart()
		if !w.Restored(commit) {
			t.Error("the forge does not know what was in sync")
		}
		w.Pass(commit, done, done)
		w.Visit()
		if writes := w.Forge.Writes(); len(writes) != 0 {
			t.Errorf("%q was written without news", writes)
		}
	})
}

func TestTheOutcomeIsThatOfThePassThatDidIt(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "+a")
		w.Visit()
		commit := w.Merge(1, head)
		done := planOf(commit, "a")
		w.Branch.Ran(ran(commit, planOf(commit, "+a"), done, engine.Result{Step: planOf(commit, "+a").Steps[0]}))
		for range 3 {
			w.Pass(commit, done, done) // before anything could be posted
		}
		w.Visit()
		if got := w.Comments(1); len(got) != 1 || !strings.Contains(got[0], "1 created") {
			t.Errorf("comments %q; want what was done", got)
		}
	})
}

func TestAForgeThatIsAwayGetsEverythingLater(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "+a")
		w.Visit()
		commit := w.Merge(1, head)
		w.Forge.SetDown(forge.ErrUnavailable)
		done := plan.Plan{Stack: "prod", Commit: commit, Stock: plan.Stock{Owned: 1}}
		w.Pass(commit, planOf(commit, "+a"), done)
		if err := w.Repo.Visit(w.Context()); !errors.Is(err, forge.ErrUnavailable) {
			t.Errorf("the check says %v", err)
		}
		w.Forge.SetDown(nil)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Success, "in sync")
	})
}

// If the forge is down, it is unknown whether a commit was in sync, and Restore returns an error. If the forge forbids reading, Restore
// returns false without an error.
func TestAForgeThatIsAwayDoesNotSayWhatWasInSync(t *testing.T) {
	for _, c := range []struct{ down, want error }{{forge.ErrUnavailable, forge.ErrUnavailable}, {forge.ErrRefused, nil}} {
		inWorld(t, func(w *world) {
			commit := w.Synced()
			w.Restart()
			w.Forge.SetDown(c.down)
			if synced, err := w.Branch.Restore(w.Context(), commit); synced || !errors.Is(err, c.want) {
				t.Errorf("%v: in sync: %t, %v", c.down, synced, err)
			}
			w.Forge.SetDown(nil)
			if !w.Restored(commit) {
				t.Errorf("%v: not known afterwards", c.down)
			}
		})
	}
}

func TestLongPassesSayHowFarTheyAre(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Merge(1, w.Open(1, "+a +b"))
		plan := planOf(commit, "+a +b")
		w.Branch.Planned(plan, preflight.Findings{})
		w.Repo.Outbox.Flush(w.Context())
		for i := range 3600 {
			w.Branch.Progress(engine.Progress{Done: 1, Total: 2, Waiting: []engine.Activity{engine.ActivityOf(&plan.Steps[1], time.Time{})}})
			w.Repo.Outbox.Flush(w.Context())
			if i == 20 {
				w.WantStatus(commit, "sync", forge.Pending, "1 of 2 done, waiting for Thing/b")
			}
			time.Sleep(time.Second)
		}
		if _, n := w.Forge.Status(commit, "stackreeve/prod/sync"); n != 2 {
			t.Errorf("%d statuses while nothing changes, want 2", n)
		}
	})
}

// begins starts the pass of a commit that was held and is approved now.
func begins(w *world) (commit string) {
	commit = w.Merge(1, w.Open(1, "-a -b -c -d"))
	held := planOf(commit, "-a -b -c -d")
	w.Pass(commit, held, held)
	w.Visit()
	w.WantStatus(commit, "sync", forge.Failure, "held: approve "+held.Hash())
	running := held
	running.Held = nil
	w.Branch.Planned(running, preflight.Findings{})
	return commit
}

func TestAnApprovedPassIsPendingWhileItRuns(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := begins(w)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Pending, "4 to delete")
	})
}

func TestAPassOfWhichTheForgeDidNotHearTheBeginning(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := begins(w)
		time.Sleep(time.Minute)
		w.Branch.Progress(engine.Progress{Done: 1, Total: 4})
		w.Repo.Outbox.Flush(w.Context())
		w.WantStatus(commit, "sync", forge.Pending, "1 of 4 done")
	})
}

// The progress of correcting drift does not replace an outcome that is not delivered to the forge yet.
func TestAnOutcomeThatWaitsWhileDriftIsPutBack(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Merge(1, w.Open(1, "+a"))
		w.Branch.Planned(planOf(commit, "+a"), preflight.Findings{})
		w.Repo.Outbox.Flush(w.Context())
		drifted := planOf(commit, "~a")
		w.Pass(commit, planOf(commit, "+a"), planOf(commit, "a"))
		w.Branch.Planned(drifted, preflight.Findings{})
		time.Sleep(time.Minute)
		w.Branch.Progress(engine.Progress{Done: 0, Total: 1})
		vain := ran(commit, drifted, drifted)
		vain.Pass.Failures = []engine.Failure{{Key: drifted.Steps[0].Key, Causes: cause.List{cause.Of(cause.Tried, "no valid host")}}}
		w.Branch.Ran(vain)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Success, "in sync")
		w.WantStatus(commit, "drift", forge.Failure, "drifted: 1 object")
	})
}
