package review_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

func TestWhatIsMergedWhileItIsPlannedKeepsItsOutcome(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "+a")
		w.Visit()
		w.Forge.AddComment(1, "ann", "/stackreeve plan")
		planned := w.Review.Plan
		var commit string
		w.Review.Plan = func(ctx context.Context, at string, files fs.FS) (plan.Plan, preflight.Findings, error) {
			commit = w.Merge(1, head)
			w.Branch.Ran(ran(commit, planOf(commit, "+a"), planOf(commit, "a"), engine.Result{Step: planOf(commit, "+a").Steps[0]}))
			p, needs, err := planned(ctx, at, files)
			p.Steps = append(p.Steps, planOf(at, "+late").Steps...)
			return p, needs, err
		}
		w.Visit()
		if got := w.Comments(1); len(got) != 1 || !strings.Contains(got[0], "1 created") || strings.Contains(got[0], "late") {
			t.Errorf("comments %q; want the outcome", got)
		}
	})
}

func TestAPlanAboutAnOlderHeadIsMadeAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "+a")
		merged := w.Review.Merged
		old := sha("old head")
		w.Files[old] = "+old"
		w.Review.Merged = func(ctx context.Context, _ string, _ ...string) (m source.Merge, err error) { return merged(ctx, old) }
		w.Visit()
		w.Review.Merged = merged
		time.Sleep(2 * review.RetryPlan)
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "1 to create")
	})
}

// asksFor changes the target branch of the first pull request, and makes a visit.
func asksFor(t *testing.T, w *world, branch string) forge.Pull {
	t.Helper()
	pull, err := w.Forge.Pull(w.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	pull.Base = branch
	w.Forge.Put(pull)
	w.Visit()
	return pull
}

func TestAPullRequestThatAsksForAnotherBranch(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "+a")
		w.Visit()
		pull := asksFor(t, w, "dev")
		w.WantStatus(head, "plan", forge.Success, "nothing of this stack")
		if got := w.Comments(1); len(got) != 1 || strings.Contains(got[0], "1 to create") {
			t.Errorf("comments %q", got)
		}
		pull.Base = "main"
		w.Forge.Put(pull)
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "1 to create")
		pull.Open = false
		w.Forge.Put(pull)
		w.Forge.Writes()
		w.Visit()
		if writes := w.Forge.Writes(); len(writes) > 0 {
			t.Errorf("%q was written when it was closed", writes)
		}
		w.Open(1, "+a +b")
		w.Visit()
		again := w.Open(1, "+a") // the earlier commit is pushed again
		w.Visit()
		if got := w.Comments(1); again != head || len(got) != 1 || !strings.Contains(got[0], "1 to create") {
			t.Errorf("reopened, and pushed back: comments %q", got)
		}
	})
}

func TestAPullRequestThatAsksForTheBranchOfAnotherStack(t *testing.T) {
	inWorld(t, func(w *world) {
		dev, last := w.Another("devstack", schedule.Schedule{}), w.Review.Last
		dev.Last = func() (source.Revision, bool) {
			rev, ok := last()
			rev.Branch = "dev"
			return rev, ok
		}
		head := w.Open(1, "+a")
		w.Visit()
		pull := asksFor(t, w, "dev")
		w.WantStatus(head, "plan", forge.Success, "nothing of this stack")
		if s, _ := w.Forge.Status(head, "stackreeve/devstack/plan"); !strings.Contains(s.Description, "1 to create") {
			t.Errorf("the other stack says %+v", s)
		}
		w.Forge.Writes()
		w.Visit()
		if writes := w.Forge.Writes(); len(writes) > 0 {
			t.Errorf("%q was written without news", writes)
		}
		pull.Base = "main"
		w.Forge.Put(pull)
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "1 to create")
	})
}

func TestTwoAgentsOfOneStackSayOneThing(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "-a -b -c -d")
		w.Visit()
		first := w.Repo
		w.Restart()
		w.Visit()
		w.Forge.AddComment(1, "ann", "/stackreeve help")
		w.Forge.AddComment(1, "ann", "/stackreeve approve "+planOf(head, "-a -b -c -d").Hash())
		for range 3 {
			w.Visit()
			w.Repo, first = first, w.Repo
			time.Sleep(time.Minute)
		}
		if got := w.Comments(1); len(got) != 2 {
			t.Errorf("comments %q; want the plan and one answer", got)
		}
		w.Forge.Writes()
		for range 4 {
			time.Sleep(review.ConversationAge)
			w.Visit()
			w.Repo, first = first, w.Repo
		}
		if writes := w.Forge.Writes(); len(writes) > 0 {
			t.Errorf("they go on writing: %q", writes)
		}
	})
}

func TestAPullRequestThatSuspendsSaysSo(t *testing.T) {
	inWorld(t, func(w *world) {
		look := w.Review.Plan
		w.Review.Plan = func(ctx context.Context, commit string, files fs.FS) (plan.Plan, preflight.Findings, error) {
			p, needs, err := look(ctx, commit, files)
			return p.Apply(guard.Suspend("a test says so")), needs, err
		}
		head := w.Open(1, "+a")
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "suspended: nothing is applied")
		got := w.Comments(1)
		if len(got) != 1 || !strings.Contains(got[0], "**The stack is suspended** with this: `a test says so`") || strings.Contains(got[0], "**To apply it**") || strings.Contains(got[0], "/stackreeve approve") {
			t.Errorf("the comment is %q", got)
		}
	})
}

// The process is killed between its writes. After the restart, the check run finally has the same result as the status.
func TestAKillBetweenCommentStatusAndCheck(t *testing.T) {
	for writes := range 4 {
		t.Run(fmt.Sprint(writes), func(t *testing.T) {
			inWorld(t, func(w *world) {
				head := w.Open(1, "+a")
				w.Visit()
				w.Mu.Lock()
				w.Files[head] = "bad" // together with the current branch
				w.Mu.Unlock()
				w.Restart()
				left := writes
				w.Forge.Answer(func(request, _ string) error {
					if request != "edit" && request != "status" && request != "check" {
						return nil
					}
					if left--; left < 0 {
						return forge.ErrUnavailable
					}
					return nil
				})
				ctx, cancel := context.WithTimeout(w.Context(), time.Second)
				_ = w.Repo.Once(ctx) // the end of ctx kills the process
				cancel()
				w.Failing(nil)
				w.Restart()
				w.Visit()
				w.WantStatus(head, "plan", forge.Failure, "is bad")
				if c, ok := w.Forge.Check(head, "stackreeve/prod"); !ok || c.State != forge.Failure {
					t.Errorf("the check says %s %q, want what the status says", c.State, c.Title)
				}
			})
		})
	}
}
