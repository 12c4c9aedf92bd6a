package pulls

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

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

// What shrinks before the merge is another plan: only the rest of a pass that was
// begun with the whole goes on.
func TestAPlanThatShrinksBeforeTheMergeIsApprovedAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "-a -b -c -d -e")
		w.look()
		w.forge.Say(1, "ann", "/stackreeve approve "+planOf(head, "-a -b -c -d -e").Hash())
		w.look()
		w.wantStatus(head, "plan", forge.Success, "approved")
		again := func() {
			w.repo.Moved(time.Now())
			time.Sleep(patience)
			w.restart()
			w.look()
		}
		w.gone = "-a" // by itself
		again()
		w.wantStatus(head, "plan", forge.Failure, planOf(head, "-b -c -d -e").Hash())
		w.gone = "" // it is back: the plan is the one that was approved
		again()
		w.wantStatus(head, "plan", forge.Success, "approved")
		commit := w.merge(1, head)
		a := w.stack.Approvals(w.Context(), commit)
		if len(a) != 1 || !a[0].Covers(planOf(commit, "-b -c -d -e")) || a[0].Covers(planOf(commit, "-b -c -d -e -f")) {
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

func TestManyCommandsAreBoundedWork(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		w.look()
		w.forge.Say(1, "ann", strings.Repeat("/stackreeve dance\n", 3600))
		forged := forge.Marker{Kind: planKind, Stack: "prod", Hash: "0123456789abcdef0123456789abcdef", Run: 1 << 60}
		for range 1000 {
			w.forge.Say(1, "mallory", forged.String()+"\n/stackreeve approve 0123456789abcdef0123456789abcdef")
		}
		for range 100 {
			w.forge.Say(1, "mallory", strings.Repeat("/stackreeve plan, or not\n", 2600))
		}
		w.forge.Requests()
		w.look()
		if talk := w.repo.talkOf(1); len(talk.said) > mostCommands || len(talk.ours) > 2 {
			t.Errorf("%d commands and %d comments are remembered", len(talk.said), len(talk.ours))
		}
		if got := w.forge.Requests(); len(got) > 10 {
			t.Errorf("%d requests", len(got))
		}
		if got := w.comments(1); len(got) != 2 {
			t.Errorf("%d comments of ours; want the plan and one answer", len(got))
		}
	})
}

func TestAPullRequestOfTwoStacks(t *testing.T) {
	inWorld(t, func(w *world) {
		other := w.another("test")
		other.Plan = func(_ context.Context, commit string, _ fs.FS) (plan.Plan, error) {
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
