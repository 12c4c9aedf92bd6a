package review_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/schedule"
)

func TestApprovalsThatAreTakenBackDoNotCount(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "-a -b -c -d")
		hash := planOf(head, "-a -b -c -d").Hash()
		w.Visit()
		c := w.Forge.AddComment(1, "ann", "/stackreeve approve "+strings.ToUpper(hash))
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "approved")
		time.Sleep(time.Minute)
		w.Visit()
		w.Forge.DeleteComment(1, c.ID)
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, hash)
		w.Forge.AddComment(1, "ann", "/stackreeve approve "+hash)
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "approved")
		time.Sleep(2 * review.RightAge)
		w.Forge.Allow("ann", false)
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, hash)
		commit := w.Merge(1, head)
		if a := w.Branch.Approvals(w.Context(), commit); len(a) != 0 {
			t.Errorf("approvals of somebody who may not push any more: %+v", a)
		}
	})
}

// A plan that gets smaller before the merge is another plan, so it needs another approval. The rest of a plan is covered only if a pass
// began with the whole plan.
func TestAPlanThatShrinksBeforeTheMergeIsApprovedAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "-a -b -c -d -e")
		w.Visit()
		w.Forge.AddComment(1, "ann", "/stackreeve approve "+planOf(head, "-a -b -c -d -e").Hash())
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "approved")
		again := func() {
			w.Repo.Outdate(time.Now())
			time.Sleep(review.Patience)
			w.Restart()
			w.Visit()
		}
		w.Gone = "-a" // somebody has deleted it in the cloud
		again()
		w.WantStatus(head, "plan", forge.Failure, planOf(head, "-b -c -d -e").Hash())
		w.Gone = "" // the object is there again, so the plan is the approved one again
		again()
		w.WantStatus(head, "plan", forge.Success, "approved")
		commit := w.Merge(1, head)
		a := w.Branch.Approvals(w.Context(), commit)
		if len(a) != 1 || !a[0].Covers(planOf(commit, "-b -c -d -e")) || a[0].Covers(planOf(commit, "-b -c -d -e -f")) {
			t.Errorf("after the merge: %+v", a)
		}
	})
}

func TestAnApprovalOutlivesAForgeThatWasAwayHalfWay(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "-a -b -c -d -e -f")
		w.Visit()
		w.Forge.AddComment(1, "ann", "/stackreeve approve "+planOf(head, "-a -b -c -d -e -f").Hash())
		w.Visit()
		commit := w.Merge(1, head)
		w.Restart() // the process is killed in the middle of the pass, and the forge is down
		w.Forge.SetDown(forge.ErrUnavailable)
		left := planOf(commit, "-c -d -e -f")
		if a := w.Branch.Approvals(w.Context(), commit); len(a) != 0 {
			t.Fatal("the forge is away")
		}
		w.Pass(commit, left, left)
		w.Forge.SetDown(nil)
		w.Visit()
		if a := w.Branch.Approvals(w.Context(), commit); len(a) != 1 || !a[0].Covers(left) || w.Again == 0 {
			t.Errorf("%+v, %d more passes; want the rest to go on", a, w.Again)
		}
	})
}

func TestTwoMergesAtOnceAskAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "-a -b -c -d")
		w.Visit()
		w.Forge.AddComment(1, "ann", "/stackreeve approve "+planOf(head, "-a -b -c -d").Hash())
		w.Visit()
		w.Merge(1, head)
		commit := w.Merge(2, w.Open(2, "+x"))
		both := planOf(commit, "-a -b -c -d +x")
		if a := w.Branch.Approvals(w.Context(), commit); len(a) != 0 {
			t.Errorf("%+v: nobody approved of anything there", a)
		}
		w.Pass(commit, both, both)
		w.Visit()
		if got := w.Comments(2); len(got) != 1 || !strings.Contains(got[0], both.Hash()) {
			t.Errorf("comments %q; want what to approve", got)
		}
	})
}

func TestManyCommandsAreBoundedWork(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		w.Visit()
		w.Forge.AddComment(1, "ann", strings.Repeat("/stackreeve dance\n", 3600))
		forged := memory.Marker{Kind: memory.PlanComment, Stack: "prod", Hash: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", Run: 1 << 60}
		for range 1000 {
			w.Forge.AddComment(1, "mallory", forged.String()+"\n/stackreeve approve 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
		}
		for range 100 {
			w.Forge.AddComment(1, "mallory", strings.Repeat("/stackreeve plan, or not\n", 2600))
		}
		w.Forge.Requests()
		w.Visit()
		if commands, ours := w.Repo.Remembered(1); commands > review.MaxCommands || ours > 2 {
			t.Errorf("%d commands and %d comments are remembered", commands, ours)
		}
		if got := w.Forge.Requests(); len(got) > 10 {
			t.Errorf("%d requests", len(got))
		}
		if got := w.Comments(1); len(got) != 2 {
			t.Errorf("%d comments of ours; want the plan and one answer", len(got))
		}
	})
}

func TestAPullRequestOfTwoStacks(t *testing.T) {
	inWorld(t, func(w *world) {
		other := w.Another("test", schedule.Schedule{})
		other.Plan = func(_ context.Context, commit string, _ fs.FS) (plan.Plan, preflight.Findings, error) {
			p := planOf(commit, "-e -f -g -h")
			p.Stack = "test"
			return p, preflight.Findings{}, nil
		}
		head := w.Open(1, "-a -b -c -d")
		w.Visit()
		theirs, _, _ := other.Plan(w.Context(), head, nil)
		c := w.Forge.AddComment(1, "ann", "/stackreeve approve "+theirs.Hash())
		w.Forge.AddComment(1, "ann", "/stackreeve help")
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "approve")
		if s, _ := w.Forge.Status(head, "stackreeve/test/plan"); s.State != forge.Success {
			t.Errorf("the stack whose hash it is says %+v", s)
		}
		if r := w.Forge.Reactions(c.ID); len(r) != 1 || r[0] != forge.ThumbsUp {
			t.Errorf("reactions %v", r)
		}
		if got := w.Comments(1); len(got) != 3 {
			t.Errorf("%d comments; want two plans and one answer", len(got))
		}
	})
}
