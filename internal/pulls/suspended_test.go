package pulls

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func suspended(p plan.Plan) plan.Plan { return p.Apply(plan.Suspend("a test says so")) }

func TestASuspendedCommitThatDiffersIsNotInSync(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.merge(1, w.open(1, "+a +b"))
		differs := suspended(planOf(commit, "+a +b c"))
		w.pass(commit, differs, differs)
		w.look()
		w.wantStatus(commit, "sync", forge.Failure, "suspended (2 differ): a test says so")
		if got := w.comments(1); len(got) != 1 || !strings.Contains(got[0], "suspended, nothing was changed; 2 objects not as the manifests say") {
			t.Errorf("the pull request was told %q", got)
		}
		equal := suspended(planOf(commit, "a b c"))
		w.pass(commit, equal, equal)
		w.look()
		w.wantStatus(commit, "sync", forge.Success, "in sync: 10 objects; suspended")
		// What is found later is no drift that is corrected, and not in sync either.
		drifted := suspended(planOf(commit, "~a b c"))
		w.pass(commit, drifted, drifted)
		w.look()
		w.wantStatus(commit, "sync", forge.Failure, "suspended (1 differ)")
		// Once it goes on, the status says so at once.
		w.stack.Planned(planOf(commit, "~a b c"))
		w.pass(commit, planOf(commit, "~a b c"), planOf(commit, "a b c"))
		w.look()
		w.wantStatus(commit, "sync", forge.Success, "in sync: 10 objects")
	})
}

func TestAPullRequestThatSuspendsSaysSo(t *testing.T) {
	inWorld(t, func(w *world) {
		look := w.stack.Plan
		w.stack.Plan = func(ctx context.Context, commit string, files fs.FS) (plan.Plan, error) {
			p, err := look(ctx, commit, files)
			return suspended(p), err
		}
		head := w.open(1, "+a")
		w.look()
		w.wantStatus(head, "plan", forge.Success, "suspended: nothing of it is applied")
		got := w.comments(1)
		if len(got) != 1 || !strings.Contains(got[0], "**The stack is suspended** with this: `a test says so`") || strings.Contains(got[0], "**To apply it**") || strings.Contains(got[0], "/stackreeve approve") {
			t.Errorf("the comment is %q", got)
		}
	})
}

// Where every change waits for an approval, drift is told like drift that is only
// reported: the commit was applied.
func TestDriftOfAManualStackIsReported(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.synced()
		held := planOf(commit, "~a").Apply(plan.Manual("a test says so"), plan.Brake(plan.Limits{}, nil))
		if held.Held == "" {
			t.Fatal("it is not held")
		}
		w.pass(commit, held, held)
		w.look()
		w.wantStatus(commit, "sync", forge.Success, "in sync")
		w.wantStatus(commit, "drift", forge.Failure, "drifted: 1 object")
		fresh := planOf(commit, "+b").Apply(plan.Manual("a test says so"), plan.Brake(plan.Limits{}, nil))
		w.pass(commit, fresh, fresh)
		w.look()
		w.wantStatus(commit, "sync", forge.Failure, "held: approve "+fresh.Hash())
	})
}
