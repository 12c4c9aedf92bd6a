package branch_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

func suspended(p plan.Plan) plan.Plan { return p.Apply(guard.Suspend("a test says so")) }

func TestASuspendedCommitThatDiffersIsNotInSync(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Merge(1, w.Open(1, "+a +b"))
		differs := suspended(planOf(commit, "+a +b c"))
		w.Pass(commit, differs, differs)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Failure, "suspended (2 differ): a test says so")
		if got := w.Comments(1); len(got) != 1 || !strings.Contains(got[0], "suspended, nothing was changed; 2 objects different from Git") {
			t.Errorf("the pull request says %q", got)
		}
		equal := suspended(planOf(commit, "a b c"))
		w.Pass(commit, equal, equal)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Success, "in sync: 10 objects; suspended")
		// A difference that is found later is not corrected, and the commit is not in sync.
		drifted := suspended(planOf(commit, "~a b c"))
		w.Pass(commit, drifted, drifted)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Failure, "suspended (1 differ)")
		// Once the stack is no longer suspended, the status shows that immediately.
		w.Branch.Planned(planOf(commit, "~a b c"), preflight.Findings{})
		w.Pass(commit, planOf(commit, "~a b c"), planOf(commit, "a b c"))
		w.Visit()
		w.WantStatus(commit, "sync", forge.Success, "in sync: 10 objects")
	})
}

// If every change waits for an approval, drift is shown in the same way as drift that is only reported, because the commit was applied.
func TestDriftOfAManualStackIsReported(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.Synced()
		held := planOf(commit, "~a").Apply(guard.Manual("a test says so"), guard.Brake(guard.Limits{}, nil))
		if held.Held == nil {
			t.Fatal("it is not held")
		}
		w.Pass(commit, held, held)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Success, "in sync")
		w.WantStatus(commit, "drift", forge.Failure, "drifted: 1 object")
		fresh := planOf(commit, "+b").Apply(guard.Manual("a test says so"), guard.Brake(guard.Limits{}, nil))
		w.Pass(commit, fresh, fresh)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Failure, "held: approve "+fresh.Hash())
	})
}
