package pulls

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// failing answers some requests with an error.
func (w *world) failing(err error, requests ...string) {
	w.forge.Answer(func(request, about string) error {
		for _, one := range requests {
			if one == request || one == request+" "+about {
				return err
			}
		}
		return nil
	})
}

// another is a second stack in the same repository.
func (w *world) another(name string) *Stack {
	s := &Stack{Name: name, Last: w.last, Merged: w.merged, Read: w.read, Plan: w.plan, Trace: w.stack.Trace, Again: func() {}}
	w.repo.Add(s)
	return s
}

func (w *world) serve() {
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan struct{})
	go func() { w.repo.Serve(ctx); close(done) }()
	w.stop = func() { cancel(); <-done }
	synctest.Wait()
}

func TestAPullRequestThatCannotBeReadStopsNoOther(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		head := w.open(2, "+b")
		w.failing(forge.ErrUnavailable, "comments 1")
		w.serve()
		w.wantStatus(head, "plan", forge.Success, "1 to create")
		merged := w.merge(3, w.open(3, "+c"))
		w.pass(merged, planOf(merged, "+c"), planOf(merged, "c"))
		time.Sleep(time.Minute)
		synctest.Wait()
		w.wantStatus(merged, "sync", forge.Success, "in sync")
		w.failing(nil)
		time.Sleep(longRetry)
		w.stop()
		w.look()
		if got := w.comments(1); len(got) != 1 {
			t.Errorf("later: comments %q", got)
		}
	})
}

func TestWithoutTheRightToCommentThereAreStatuses(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		w.failing(forge.ErrRefused, "comments", "post", "react", "edit")
		w.look()
		w.wantStatus(head, "plan", forge.Success, "1 to create")
		commit := w.merge(1, head)
		w.pass(commit, planOf(commit, "+a"), planOf(commit, "a"))
		w.look()
		w.wantStatus(commit, "sync", forge.Success, "in sync")
	})
}

func TestWithoutTheRightToSetStatusesThereAreComments(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "-a -b -c -d")
		w.failing(forge.ErrRefused, "statuses", "status", "check")
		w.look()
		commit := w.merge(1, head)
		held := planOf(commit, "-a -b -c -d -e")
		w.pass(commit, held, held)
		w.look()
		if got := w.comments(1); len(got) != 1 || !strings.Contains(got[0], held.Hash()) {
			t.Errorf("comments %q; want what to approve", got)
		}
	})
}

func TestAForgeThatDoesNotSayWhoMayPushStopsNoPlan(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "-a -b -c -d")
		w.forge.Say(1, "ann", "/stackreeve approve "+planOf(head, "-a -b -c -d").Hash())
		w.failing(forge.ErrRefused, "right")
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "approve")
	})
}

func TestACloudThatHangsHoldsUpNoOtherStack(t *testing.T) {
	inWorld(t, func(w *world) {
		w.stack.Plan = func(ctx context.Context, _ string, _ fs.FS) (reconcile.Plan, error) {
			<-ctx.Done()
			return reconcile.Plan{}, ctx.Err()
		}
		w.another("test")
		var heads []string
		for n := range 5 {
			heads = append(heads, w.open(n+1, "+a"))
		}
		w.serve()
		for _, head := range heads {
			if s, _ := w.forge.Status(head, "stackreeve/test/plan"); s.State != forge.Success {
				t.Errorf("the other stack says %+v", s)
			}
		}
		w.wantStatus(heads[0], "plan", forge.Pending, "")
		late := w.open(9, "+b")
		w.repo.Heard(9)
		synctest.Wait()
		if s, _ := w.forge.Status(late, "stackreeve/test/plan"); s.State != forge.Success {
			t.Errorf("for a new pull request the other stack says %+v", s)
		}
		w.stop()
	})
}

func TestOnePullRequestThatIsPushedToWithoutEndStarvesNobody(t *testing.T) {
	inWorld(t, func(w *world) {
		planned := map[string]int{}
		w.stack.Plan = func(_ context.Context, commit string, files fs.FS) (reconcile.Plan, error) {
			time.Sleep(10 * time.Second)
			planned[textOf(files)]++
			return planOf(commit, textOf(files)), nil
		}
		for n := 2; n < 5; n++ {
			w.open(n, fmt.Sprint("+p", n))
		}
		w.serve()
		time.Sleep(time.Minute)
		synctest.Wait()
		clear(planned)
		w.repo.Moved(time.Now())
		for i := range 300 {
			w.open(1, fmt.Sprint("+x", i))
			w.repo.Heard(1)
			time.Sleep(time.Second)
			if i == 100 {
				w.open(7, "+new")
			}
		}
		w.stop()
		for _, text := range []string{"+p2", "+p3", "+p4", "+new"} {
			if planned[text] == 0 {
				t.Errorf("%s was not planned in five minutes: %v", text, planned)
			}
		}
	})
}

func TestApprovalsThatAreTakenBackDoNotCount(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "-a -b -c -d")
		hash := planOf(head, "-a -b -c -d").Hash()
		w.look()
		c := w.forge.Say(1, "ann", "/stackreeve approve "+strings.ToUpper(hash))
		w.look()
		w.wantStatus(head, "plan", forge.Success, "approved")
		time.Sleep(time.Minute)
		w.look()
		w.forge.Unsay(1, c.ID)
		w.look()
		w.wantStatus(head, "plan", forge.Failure, hash)
		w.forge.Say(1, "ann", "/stackreeve approve "+hash)
		w.look()
		w.wantStatus(head, "plan", forge.Success, "approved")
		time.Sleep(2 * rightAge)
		w.forge.Allow("ann", false)
		w.look()
		w.wantStatus(head, "plan", forge.Failure, hash)
		commit := w.merge(1, head)
		if a := w.stack.Approvals(w.Context(), commit); len(a) != 0 {
			t.Errorf("approvals of somebody who may not push any more: %+v", a)
		}
	})
}

func TestAnApprovalOutlivesThatThePlanShrinks(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "-a -b -c -d -e")
		w.look()
		w.forge.Say(1, "ann", "/stackreeve approve "+planOf(head, "-a -b -c -d -e").Hash())
		w.look()
		for range 3 {
			w.files[head] = "-b -c -d -e" // one is gone by itself
			w.repo.Moved(time.Now())
			time.Sleep(patience)
			w.restart()
			w.look()
			w.wantStatus(head, "plan", forge.Success, "approved")
		}
		commit := w.merge(1, head)
		a := w.stack.Approvals(w.Context(), commit)
		if len(a) != 1 || !a[0].Covers(planOf(commit, "-b -c -d -e")) {
			t.Errorf("after the merge: %+v", a)
		}
	})
}

func TestAnApprovalOutlivesAForgeThatWasAwayHalfWay(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "-a -b -c -d -e -f")
		w.look()
		w.forge.Say(1, "ann", "/stackreeve approve "+planOf(head, "-a -b -c -d -e -f").Hash())
		w.look()
		commit := w.merge(1, head)
		w.restart() // killed half-way through the pass; the forge is away
		w.forge.SetDown(forge.ErrUnavailable)
		left := planOf(commit, "-c -d -e -f")
		if a := w.stack.Approvals(w.Context(), commit); len(a) != 0 {
			t.Fatal("the forge is away")
		}
		w.pass(commit, left, left)
		w.forge.SetDown(nil)
		w.look()
		if a := w.stack.Approvals(w.Context(), commit); len(a) != 1 || !a[0].Covers(left) || w.again == 0 {
			t.Errorf("%+v, %d more passes; want the rest to go on", a, w.again)
		}
	})
}

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
		plan := w.stack.Plan
		var commit string
		w.stack.Plan = func(ctx context.Context, at string, files fs.FS) (reconcile.Plan, error) {
			commit = w.merge(1, head)
			w.stack.Ran(ran(commit, planOf(commit, "+a"), planOf(commit, "a"), reconcile.Result{Step: planOf(commit, "+a").Steps[0]}))
			p, err := plan(ctx, at, files)
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
		w.stack.Ran(ran(commit, planOf(commit, "+a"), done, reconcile.Result{Step: planOf(commit, "+a").Steps[0]}))
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

func TestAnApprovedPassIsPendingWhileItRuns(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.merge(1, w.open(1, "-a -b -c -d"))
		held := planOf(commit, "-a -b -c -d")
		w.pass(commit, held, held)
		w.look()
		w.wantStatus(commit, "sync", forge.Failure, "held: approve "+held.Hash())
		running := held
		running.Held = ""
		w.stack.Planned(running)
		w.look()
		w.wantStatus(commit, "sync", forge.Pending, "4 to delete")
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

func TestDriftThatOnlyTheEndOfAPassSaw(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.synced()
		fine, drifted := planOf(commit, "a"), found(planOf(commit, "~a"))
		w.pass(commit, drifted, drifted)
		w.look()
		w.pass(commit, fine, fine)
		w.look()
		w.pass(commit, fine, drifted) // nobody asked who did it
		w.look()
		w.wantStatus(commit, "drift", forge.Failure, "drifted: 1 object")
		w.pass(commit, fine, fine)
		w.look()
		w.wantStatus(commit, "drift", forge.Success, "no drift")
	})
}

func TestOpenDriftCostsNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.synced()
		asked := 0
		trace := w.stack.Trace
		w.stack.Trace = func(ctx context.Context, s reconcile.Step) (reconcile.Trace, bool) {
			asked++
			return trace(ctx, s)
		}
		drifted := found(planOf(commit, "~a"))
		w.pass(commit, drifted, drifted)
		w.look()
		w.forge.Requests()
		for range 5 {
			w.pass(commit, drifted, drifted)
			w.repo.Outbox.Flush(w.Context())
		}
		if got := w.forge.Requests(); len(got) != 0 || asked != 1 {
			t.Errorf("asked the cloud %d times and the forge for %q", asked, got)
		}
	})
}

func TestAQuietRunOfManyPullRequestsAsksLittle(t *testing.T) {
	inWorld(t, func(w *world) {
		w.files[w.base] = "same"
		var asked forge.Comment
		for n := 1; n <= 50; n++ {
			text := fmt.Sprint("+p", n)
			if n > 25 {
				text = "same"
			}
			w.open(n, text)
			if n <= 5 {
				asked = w.forge.Say(n, "ann", "/stackreeve help")
			}
		}
		w.look()
		w.restart()
		w.forge.Requests()
		w.look()
		// One list; comments and statuses of each; who ann is.
		if got := w.forge.Requests(); len(got) > 1+50+50+1 {
			t.Errorf("%d requests by a new process that has no news: %q", len(got), got)
		}
		time.Sleep(time.Minute)
		w.look()
		w.forge.Requests()
		time.Sleep(time.Minute)
		w.look()
		if got := w.forge.Requests(); len(got) > 1 {
			t.Errorf("%q by a process that lives on", got)
		}
		if r := w.forge.Reactions(asked.ID); len(r) != 1 {
			t.Errorf("reactions %v", r)
		}
	})
}

func TestAPlanAboutAnOlderHeadIsMadeAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		merged := w.stack.Merged
		old := sha("old head")
		w.files[old] = "+old"
		w.stack.Merged = func(ctx context.Context, _, base string) (m sourceMerge, err error) { return merged(ctx, old, base) }
		w.look()
		w.stack.Merged = merged
		time.Sleep(2 * retryPlan)
		w.look()
		w.wantStatus(head, "plan", forge.Success, "1 to create")
	})
}

func TestALimitIsNotAskedPast(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		w.forge.SetDown(&forge.LimitedError{Until: time.Now().Add(time.Hour)})
		w.serve()
		for range 59 {
			time.Sleep(time.Minute)
			w.repo.Heard(1)
			done := planOf(w.base, "a")
			w.pass(w.base, done, done)
		}
		if got := w.forge.Requests(); len(got) > 6 {
			t.Errorf("%d requests within the limit: %q", len(got), got)
		}
		w.forge.SetDown(nil)
		time.Sleep(2 * time.Minute)
		w.stop()
		w.wantStatus(w.base, "sync", forge.Success, "in sync")
		if len(w.comments(1)) != 1 {
			t.Error("no plan after the limit")
		}
	})
}

func TestBranchPassesDoNotWaitForAForge(t *testing.T) {
	inWorld(t, func(w *world) {
		w.forge.Answer(func(string, string) error { time.Sleep(30 * time.Second); return nil })
		w.open(1, "+a")
		commit := w.merge(2, w.open(2, "+b"))
		w.serve()
		began := time.Now()
		w.stack.Planned(planOf(commit, "+b"))
		w.stack.Progress(reconcile.Progress{Done: 1, Total: 2})
		w.stack.Ran(ran(commit, planOf(commit, "+b"), planOf(commit, "b")))
		if took := time.Since(began); took > 0 {
			t.Errorf("a pass waited %s for the forge", took)
		}
		time.Sleep(10 * time.Minute)
		w.stop()
		w.forge.Answer(nil)
		w.wantStatus(commit, "sync", forge.Success, "in sync")
	})
}

func TestTwoMergesAtOnceAskAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "-a -b -c -d")
		w.look()
		w.forge.Say(1, "ann", "/stackreeve approve "+planOf(head, "-a -b -c -d").Hash())
		w.look()
		w.merge(1, head)
		commit := w.merge(2, w.open(2, "+x"))
		both := planOf(commit, "-a -b -c -d +x")
		if a := w.stack.Approvals(w.Context(), commit); len(a) != 0 {
			t.Errorf("%+v: nobody approved of anything there", a)
		}
		w.pass(commit, both, both)
		w.look()
		if got := w.comments(2); len(got) != 1 || !strings.Contains(got[0], both.Hash()) {
			t.Errorf("comments %q; want what to approve", got)
		}
	})
}

func TestHugePlansFit(t *testing.T) {
	inWorld(t, func(w *world) {
		var text strings.Builder
		for n := range 10_000 {
			fmt.Fprintf(&text, "-thing-with-a-rather-long-name-%d ", n)
		}
		head := w.open(1, text.String())
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "approve "+planOf(head, text.String()).Hash())
		if got := w.comments(1); len(got) == 0 || len(got) > 5 {
			t.Errorf("%d comments", len(got))
		}
		w.forge.Say(1, "ann", "/stackreeve approve "+planOf(head, text.String()).Hash())
		w.look()
		w.wantStatus(head, "plan", forge.Success, "approved")
		commit := w.merge(1, head)
		w.pass(commit, planOf(commit, text.String()), planOf(commit, text.String()))
		w.look()
		for _, body := range w.comments(1) {
			if len([]rune(body)) > forge.MaxComment {
				t.Errorf("a comment of %d", len([]rune(body)))
			}
		}
	})
}

func TestMarkersFit(t *testing.T) {
	m := forge.Marker{Kind: planKind, Stack: strings.Repeat("a-", 31) + "a", Run: 1 << 62, Part: 5, Parts: 5, Head: sha("a"), Base: sha("b"), Hash: sha("c")[:16], Done: forge.Failure, To: 1 << 62}
	for n := range mostSteps {
		m.Steps = append(m.Steps, sha(fmt.Sprint(n))[:16])
	}
	if n := len(m.String()); n > forge.MaxMarker {
		t.Errorf("a marker takes %d", n)
	}
}

func TestManyCommandsAreBoundedWork(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		w.look()
		w.forge.Say(1, "ann", strings.Repeat("/stackreeve dance\n", 3600))
		forged := forge.Marker{Kind: planKind, Stack: "prod", Hash: "0123456789abcdef", Run: 1 << 60}
		for range 1000 {
			w.forge.Say(1, "mallory", forged.String()+"\n/stackreeve approve 0123456789abcdef")
		}
		w.forge.Requests()
		w.look()
		if got := w.forge.Requests(); len(got) > 10 {
			t.Errorf("%d requests", len(got))
		}
		if got := w.comments(1); len(got) != 2 {
			t.Errorf("%d comments of ours; want the plan and one answer", len(got))
		}
	})
}

func TestAWrongAnswerIsNoReasonToGiveUp(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		tries := 0
		w.forge.Answer(func(request, _ string) error {
			if request == "list" {
				if tries++; tries%2 == 1 {
					return errors.Join(forge.ErrUnavailable, errors.New("502"))
				}
			}
			return nil
		})
		w.serve()
		time.Sleep(time.Minute)
		w.stop()
		if len(w.comments(1)) != 1 {
			t.Error("no plan")
		}
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

func TestASingleRunTellsTheBranchWhateverPullRequestsDo(t *testing.T) {
	inWorld(t, func(w *world) {
		w.stack.Plan = func(ctx context.Context, _ string, _ fs.FS) (reconcile.Plan, error) {
			<-ctx.Done()
			return reconcile.Plan{}, ctx.Err()
		}
		commit := w.merge(2, w.open(2, "+b"))
		w.open(1, "+a")
		w.stack.Ran(ran(commit, planOf(commit, "+b"), planOf(commit, "b")))
		ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
		defer cancel()
		_ = w.repo.Once(ctx) // it says that not everything was done
		w.wantStatus(commit, "sync", forge.Success, "in sync")
	})
}

func TestAPullRequestOfTwoStacks(t *testing.T) {
	inWorld(t, func(w *world) {
		other := w.another("test")
		other.Plan = func(_ context.Context, commit string, _ fs.FS) (reconcile.Plan, error) {
			p := planOf(commit, "-e -f -g -h")
			p.Stack = "test"
			return p, nil
		}
		head := w.open(1, "-a -b -c -d")
		w.look()
		theirs, _ := other.Plan(w.Context(), head, nil)
		c := w.forge.Say(1, "ann", "/stackreeve approve "+theirs.Hash())
		w.forge.Say(1, "ann", "/stackreeve help")
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "approve")
		if s, _ := w.forge.Status(head, "stackreeve/test/plan"); s.State != forge.Success {
			t.Errorf("the stack whose hash it is says %+v", s)
		}
		if r := w.forge.Reactions(c.ID); len(r) != 1 || r[0] != forge.ThumbsUp {
			t.Errorf("reactions %v", r)
		}
		if got := w.comments(1); len(got) != 3 {
			t.Errorf("%d comments; want two plans and one answer", len(got))
		}
	})
}
