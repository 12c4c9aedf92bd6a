package pulls

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func TestClocksThatWereAheadBlockNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		tomorrow := forge.Marker{Kind: planKind, Stack: "prod", Run: time.Now().Add(24 * time.Hour).UnixMilli(), Part: 1, Parts: 1}
		w.forge.Say(1, w.forge.Me, tomorrow.String()+"\nold")
		w.look()
		if got := w.comments(1); len(got) != 1 || !strings.Contains(got[0], "1 to create") {
			t.Errorf("comments %q", got)
		}
		commit := w.synced()
		tomorrow.Kind = driftKind
		w.forge.Say(1, w.forge.Me, tomorrow.String()+"\nold")
		drifted := found(planOf(commit, "~a"))
		w.pass(commit, drifted, drifted)
		w.look()
		if got := w.comments(1); len(got) != 2 || !strings.Contains(got[1], "Thing/a") {
			t.Errorf("comments %q", got)
		}
	})
}

func TestWhatIsMergedWhileItIsPlannedKeepsItsOutcome(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		w.look()
		w.forge.Say(1, "ann", "/stackreeve plan")
		planned := w.stack.Plan
		var commit string
		w.stack.Plan = func(ctx context.Context, at string, files fs.FS) (plan.Plan, error) {
			commit = w.merge(1, head)
			w.stack.Ran(ran(commit, planOf(commit, "+a"), planOf(commit, "a"), engine.Result{Step: planOf(commit, "+a").Steps[0]}))
			p, err := planned(ctx, at, files)
			p.Steps = append(p.Steps, planOf(at, "+late").Steps...)
			return p, err
		}
		w.look()
		if got := w.comments(1); len(got) != 1 || !strings.Contains(got[0], "1 created") || strings.Contains(got[0], "late") {
			t.Errorf("comments %q; want the outcome", got)
		}
	})
}

func TestAKillBetweenCommentAndStatus(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		w.look()
		commit := w.merge(1, head)
		w.failing(forge.ErrUnavailable, "status")
		done := planOf(commit, "a")
		w.stack.Ran(ran(commit, planOf(commit, "+a"), done, engine.Result{Step: planOf(commit, "+a").Steps[0]}))
		ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
		w.repo.Outbox.Flush(ctx)
		cancel()
		w.failing(nil)
		w.restart()
		w.pass(commit, done, done)
		w.look()
		w.wantStatus(commit, "sync", forge.Success, "in sync")
		if got := w.comments(1); len(got) != 1 || !strings.Contains(got[0], "1 created") {
			t.Errorf("comments %q; want what the first process did", got)
		}
	})
}

func TestABranchThatGoesBackIsPendingAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		old := w.synced()
		next := w.merge(2, w.open(2, "+b"))
		w.pass(next, planOf(next, "+b"), planOf(next, "a b"))
		w.look()
		w.base = old
		w.stack.Planned(planOf(old, "-b"))
		w.look()
		w.wantStatus(old, "sync", forge.Pending, "1 to delete")
		w.stack.Ran(ran(old, planOf(old, "-b"), planOf(old, "a")))
		w.look()
		w.wantStatus(old, "sync", forge.Success, "in sync")
	})
}

func TestACommitWithoutAPullRequestSaysHowToApproveOfIt(t *testing.T) {
	inWorld(t, func(w *world) {
		w.base = sha("pushed")
		held := planOf(w.base, "-a -b -c -d")
		w.pass(w.base, held, held)
		w.look()
		w.wantStatus(w.base, "sync", forge.Failure, "stackreeve run --once --stack prod --approve "+held.Hash())
		w.forge.Writes()
		for range 5 {
			w.pass(w.base, held, held)
			w.look()
		}
		if writes := w.forge.Writes(); len(writes) > 0 {
			t.Errorf("%q was written without news", writes)
		}
	})
}

func TestAPlanAboutAnOlderHeadIsMadeAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		merged := w.stack.Merged
		old := sha("old head")
		w.files[old] = "+old"
		w.stack.Merged = func(ctx context.Context, _ string) (m sourceMerge, err error) { return merged(ctx, old) }
		w.look()
		w.stack.Merged = merged
		time.Sleep(2 * retryPlan)
		w.look()
		w.wantStatus(head, "plan", forge.Success, "1 to create")
	})
}

func TestABranchThatGoesBackIsAppliedAgainAfterARestart(t *testing.T) {
	inWorld(t, func(w *world) {
		old := w.synced()
		next := w.merge(2, w.open(2, "+b"))
		w.pass(next, planOf(next, "+b"), planOf(next, "a b"))
		w.look()
		w.wantStatus(old, "sync", forge.Success, "until "+next[:10])
		w.base = old
		w.restart()
		if w.stack.WasSynced(w.Context(), old) {
			t.Error("the cloud has equalled another commit since")
		}
		w.pass(old, planOf(old, "-b"), planOf(old, "a"))
		w.look()
		w.wantStatus(old, "sync", forge.Success, "in sync: 10 objects")
	})
}

func TestAPullRequestThatAsksForAnotherBranch(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		w.look()
		pull, err := w.forge.Pull(w.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		pull.Base = "dev"
		w.forge.Put(pull)
		w.look()
		w.wantStatus(head, "plan", forge.Success, "nothing of this stack")
		if got := w.comments(1); len(got) != 1 || strings.Contains(got[0], "1 to create") {
			t.Errorf("comments %q", got)
		}
		pull.Base = "main"
		w.forge.Put(pull)
		w.look()
		w.wantStatus(head, "plan", forge.Success, "1 to create")
		pull.Open = false
		w.forge.Put(pull)
		w.forge.Writes()
		w.look()
		if writes := w.forge.Writes(); len(writes) > 0 {
			t.Errorf("%q was written when it was closed", writes)
		}
		w.open(1, "+a +b")
		w.look()
		again := w.open(1, "+a") // pushed back
		w.look()
		if got := w.comments(1); again != head || len(got) != 1 || !strings.Contains(got[0], "1 to create") {
			t.Errorf("reopened, and pushed back: comments %q", got)
		}
	})
}

func TestTwoAgentsOfOneStackSayOneThing(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "-a -b -c -d")
		w.look()
		first := w.repo
		w.restart()
		w.look()
		w.forge.Say(1, "ann", "/stackreeve help")
		w.forge.Say(1, "ann", "/stackreeve approve "+planOf(head, "-a -b -c -d").Hash())
		for range 3 {
			w.look()
			w.repo, first = first, w.repo
			time.Sleep(time.Minute)
		}
		if got := w.comments(1); len(got) != 2 {
			t.Errorf("comments %q; want the plan and one answer", got)
		}
		w.forge.Writes()
		for range 4 {
			time.Sleep(talkAge)
			w.look()
			w.repo, first = first, w.repo
		}
		if writes := w.forge.Writes(); len(writes) > 0 {
			t.Errorf("they go on writing: %q", writes)
		}
	})
}

func TestTwoMergesWhileTheForgeIsAwayAreBothTold(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		w.open(2, "+b")
		w.look()
		w.forge.SetDown(forge.ErrUnavailable)
		first := w.merge(1, sha("1+a"))
		w.pass(first, planOf(first, "+a"), planOf(first, "a"))
		second := w.merge(2, sha("2+b"))
		w.pass(second, planOf(second, "+b"), planOf(second, "a b"))
		w.forge.SetDown(nil)
		w.look()
		for number, commit := range map[int]string{1: first, 2: second} {
			w.wantStatus(commit, "sync", forge.Success, "in sync")
			if got := w.comments(number); len(got) != 1 || !strings.Contains(got[0], divider) {
				t.Errorf("comments on %d: %q; want the outcome", number, got)
			}
		}
	})
}

func TestANewProcessForEveryCommit(t *testing.T) {
	inWorld(t, func(w *world) {
		next := func(commit, parent string, first, last plan.Plan) {
			w.restart()
			w.stack.WasSynced(w.Context(), commit)
			w.stack.Planned(first)
			run := ran(commit, first, last)
			run.Revision.Parent = parent
			w.stack.Ran(run)
			w.look()
		}
		old := w.synced()
		drifted := found(planOf(old, "~a"))
		next(old, "", drifted, drifted)
		w.wantStatus(old, "drift", forge.Failure, "drifted")
		commit := w.merge(2, w.open(2, "+b"))
		next(commit, old, planOf(commit, "+b"), planOf(commit, "a b"))
		w.wantStatus(old, "sync", forge.Success, "until "+commit[:10])
		if got := w.comments(1); len(got) != 2 || !strings.Contains(got[1], divider) {
			t.Errorf("comments %q; want the drift's to be over", got)
		}
		w.base = old
		w.restart()
		if w.stack.WasSynced(w.Context(), old) {
			t.Error("the branch went back to a commit that the cloud equals no more")
		}
	})
}
