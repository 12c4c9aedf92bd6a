package branch_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

func TestClocksThatWereAheadBlockNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		tomorrow := memory.Marker{Kind: memory.PlanComment, Stack: "prod", Run: time.Now().Add(24 * time.Hour).UnixMilli(), Part: 1, Parts: 1}
		w.Forge.AddComment(1, w.Forge.Me, tomorrow.String()+"\nold")
		w.Visit()
		if got := w.Comments(1); len(got) != 1 || !strings.Contains(got[0], "1 to create") {
			t.Errorf("comments %q", got)
		}
		commit := w.Synced()
		tomorrow.Kind = memory.DriftComment
		w.Forge.AddComment(1, w.Forge.Me, tomorrow.String()+"\nold")
		drifted := found(planOf(commit, "~a"))
		w.Pass(commit, drifted, drifted)
		w.Visit()
		if got := w.Comments(1); len(got) != 2 || !strings.Contains(got[1], "Thing/a") {
			t.Errorf("comments %q", got)
		}
	})
}

func TestAKillBetweenCommentAndStatus(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "+a")
		w.Visit()
		commit := w.Merge(1, head)
		w.Failing(forge.ErrUnavailable, "status")
		done := planOf(commit, "a")
		w.Branch.Ran(ran(commit, planOf(commit, "+a"), done, engine.Result{Step: planOf(commit, "+a").Steps[0]}))
		ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
		w.Repo.Outbox.Flush(ctx)
		cancel()
		w.Failing(nil)
		w.Restart()
		w.Pass(commit, done, done)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Success, "in sync")
		if got := w.Comments(1); len(got) != 1 || !strings.Contains(got[0], "1 created") {
			t.Errorf("comments %q; want what the first process did", got)
		}
	})
}

func TestABranchThatGoesBackIsPendingAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		old := w.Synced()
		next := w.Merge(2, w.Open(2, "+b"))
		w.Pass(next, planOf(next, "+b"), planOf(next, "a b"))
		w.Visit()
		w.Base = old
		w.Branch.Planned(planOf(old, "-b"), preflight.Findings{})
		w.Visit()
		w.WantStatus(old, "sync", forge.Pending, "1 to delete")
		w.Branch.Ran(ran(old, planOf(old, "-b"), planOf(old, "a")))
		w.Visit()
		w.WantStatus(old, "sync", forge.Success, "in sync")
	})
}

func TestACommitWithoutAPullRequestSaysHowToApproveOfIt(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Base = sha("pushed")
		held := planOf(w.Base, "-a -b -c -d")
		w.Pass(w.Base, held, held)
		w.Visit()
		w.WantStatus(w.Base, "sync", forge.Failure, "stackreeve run --once --stack prod --approve "+held.Hash())
		w.Forge.Writes()
		for range 5 {
			w.Pass(w.Base, held, held)
			w.Visit()
		}
		if writes := w.Forge.Writes(); len(writes) > 0 {
			t.Errorf("%q was written without news", writes)
		}
	})
}

func TestABranchThatGoesBackIsAppliedAgainAfterARestart(t *testing.T) {
	inWorld(t, func(w *world) {
		old := w.Synced()
		next := w.Merge(2, w.Open(2, "+b"))
		w.Pass(next, planOf(next, "+b"), planOf(next, "a b"))
		w.Visit()
		w.WantStatus(old, "sync", forge.Success, "until "+next[:10])
		w.Base = old
		w.Restart()
		if w.Restored(old) {
			t.Error("the cloud has equalled another commit since")
		}
		w.Pass(old, planOf(old, "-b"), planOf(old, "a"))
		w.Visit()
		w.WantStatus(old, "sync", forge.Success, "in sync: 10 objects")
	})
}

// At the first step of another commit, a commit stops being in sync. That costs one request, and later steps cost none.
func TestABranchThatGoesBackFromACommitThatFailed(t *testing.T) {
	inWorld(t, func(w *world) {
		old := w.Synced()
		next := w.Merge(2, w.Open(2, "+b"))
		planned := planOf(next, "+b +c")
		w.Branch.Planned(planned, preflight.Findings{})
		w.Branch.Started(planned.Steps[0])
		w.Repo.Outbox.Flush(w.Context())
		w.WantStatus(old, "sync", forge.Success, "until "+next[:10])
		failed := ran(next, planned, planOf(next, "b +c"), engine.Result{Step: planned.Steps[0]})
		failed.Pass.Failures = []engine.Failure{{Causes: cause.List{cause.Of(cause.Tried, "no")}}}
		w.Branch.Ran(failed)
		w.Visit()
		w.Forge.Requests()
		w.Branch.Planned(planned, preflight.Findings{})
		w.Branch.Started(planned.Steps[1])
		w.Branch.Ran(failed)
		w.Repo.Outbox.Flush(w.Context())
		if asked := w.Forge.Requests(); slices.ContainsFunc(asked, func(r string) bool { return strings.Contains(r, old) }) {
			t.Errorf("%q after it was said", asked)
		}
		w.Base = old
		for range 2 {
			if w.Restored(old) {
				t.Error("another commit has changed the cloud since")
			}
			w.Branch.Planned(planOf(old, "-b"), preflight.Findings{})
			w.Visit()
			w.WantStatus(old, "sync", forge.Pending, "1 to delete")
			w.Restart()
		}
	})
}

// A new process starts with the commit next, and does not know that the commit before it was in sync. It still reports that next has
// replaced that commit.
func TestANewProcessEndsWhatWasInSync(t *testing.T) {
	inWorld(t, func(w *world) {
		old := w.Synced()
		next := w.Merge(2, w.Open(2, "+b"))
		w.Restart()
		w.Restored(next)
		failed := ran(next, planOf(next, "+b +c"), planOf(next, "b +c"), engine.Result{Step: planOf(next, "+b").Steps[0]})
		failed.Revision.Parent = old
		failed.Pass.Interrupted, failed.Pass.Superseded = true, "commit 1a2b3c4"
		w.Branch.Ran(failed)
		w.Visit()
		w.WantStatus(old, "sync", forge.Success, "until "+next[:10])
	})
}

func TestTwoMergesWhileTheForgeIsAwayAreBothReported(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		w.Open(2, "+b")
		w.Visit()
		w.Forge.SetDown(forge.ErrUnavailable)
		first := w.Merge(1, sha("1+a"))
		w.Pass(first, planOf(first, "+a"), planOf(first, "a"))
		second := w.Merge(2, sha("2+b"))
		w.Pass(second, planOf(second, "+b"), planOf(second, "a b"))
		w.Forge.SetDown(nil)
		w.Visit()
		for number, commit := range map[int]string{1: first, 2: second} {
			w.WantStatus(commit, "sync", forge.Success, "in sync")
			if got := w.Comments(number); len(got) != 1 || !strings.Contains(got[0], divider) {
				t.Errorf("comments on %d: %q; want the outcome", number, got)
			}
		}
	})
}

func TestANewProcessForEveryCommit(t *testing.T) {
	inWorld(t, func(w *world) {
		next := func(commit, parent string, first, last plan.Plan) {
			w.Restart()
			w.Restored(commit)
			w.Branch.Planned(first, preflight.Findings{})
			run := ran(commit, first, last)
			run.Revision.Parent = parent
			w.Branch.Ran(run)
			w.Visit()
		}
		old := w.Synced()
		drifted := found(planOf(old, "~a"))
		next(old, "", drifted, drifted)
		w.WantStatus(old, "drift", forge.Failure, "drifted")
		commit := w.Merge(2, w.Open(2, "+b"))
		next(commit, old, planOf(commit, "+b"), planOf(commit, "a b"))
		w.WantStatus(old, "sync", forge.Success, "until "+commit[:10])
		if got := w.Comments(1); len(got) != 2 || !strings.Contains(got[1], divider) {
			t.Errorf("comments %q; want the drift's to be over", got)
		}
		w.Base = old
		w.Restart()
		if w.Restored(old) {
			t.Error("the branch went back to a commit that the cloud equals no more")
		}
	})
}

// The forge accepts a status only after another commit has replaced the status's commit. Then the status does not say that the commit is in
// sync.
func TestWhatWasInSyncIsSaidTooLate(t *testing.T) {
	inWorld(t, func(w *world) {
		first := w.Merge(1, w.Open(1, "+a"))
		w.Serve()
		w.Branch.Planned(planOf(first, "+a"), preflight.Findings{})
		synctest.Wait()
		failures := 1
		w.Forge.Answer(func(request, about string) error {
			if request == "status" && about == first && failures > 0 {
				failures--
				return forge.ErrUnavailable
			}
			return nil
		})
		w.Branch.Ran(ran(first, planOf(first, "+a"), planOf(first, "a")))
		synctest.Wait()
		second := w.Merge(2, w.Open(2, "a +b"))
		next := planOf(second, "a +b")
		w.Branch.Planned(next, preflight.Findings{})
		w.Branch.Started(next.Steps[1])
		time.Sleep(time.Minute)
		w.Stop()
		w.WantStatus(first, "sync", forge.Success, "in sync until "+second[:10])
		w.Restart()
		if w.Restored(first) {
			t.Error("a new process takes the first commit for what the cloud equals")
		}
	})
}
