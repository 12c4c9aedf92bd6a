package review_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/review"
)

func TestEveryPullRequestIsPlannedOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "+a")
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "1 to create")
		if s := w.Status(head, "plan"); s.URL == "" {
			t.Error("the status leads nowhere")
		}
		if got := w.Comments(1); len(got) != 1 || !strings.Contains(got[0], "1 to create") {
			t.Errorf("comments %q", got)
		}
		w.Forge.Writes()
		for range 5 {
			time.Sleep(time.Minute)
			w.Visit()
		}
		if writes := w.Forge.Writes(); len(writes) != 0 || w.Plans != 1 {
			t.Errorf("%d plans and %q without news", w.Plans, writes)
		}
		w.Restart()
		w.Visit()
		if writes := w.Forge.Writes(); len(writes) != 0 {
			t.Errorf("%q was written after a restart", writes)
		}
	})
}

func TestAPushEditsTheComment(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		w.Visit()
		time.Sleep(time.Second)
		head := w.Open(1, "+a +b")
		w.Visit()
		if got := w.Comments(1); len(got) != 1 || !strings.Contains(got[0], "2 to create") {
			t.Errorf("comments %q", got)
		}
		w.WantStatus(head, "plan", forge.Success, "2 to create")
	})
}

func TestWhatTouchesNothingIsQuiet(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Files[w.Base] = "same"
		head := w.Open(1, "same")
		w.Visit()
		if s := w.Status(head, "plan"); s.State != forge.Success || len(w.Comments(1)) != 0 || w.Plans != 0 {
			t.Errorf("%+v, comments %q, %d plans; want a quiet success", s, w.Comments(1), w.Plans)
		}
		w.Open(1, "+a")
		w.Visit()
		time.Sleep(time.Second)
		head = w.Open(1, "same")
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "")
		if got := w.Comments(1); len(got) != 1 || strings.Contains(got[0], "1 to create") {
			t.Errorf("the comment still plans something: %q", got)
		}
	})
}

func TestErrorsInManifestsAreReported(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "bad")
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "")
		if got := w.Comments(1); len(got) != 1 || !strings.Contains(got[0], "thing.yaml:3") {
			t.Errorf("comments %q; want the line", got)
		}
		head = w.Open(2, "conflict")
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "conflict")
	})
}

func TestACloudThatIsAwayIsAskedAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		w.CloudErr = errors.New("the cloud is away")
		head := w.Open(1, "+a")
		w.Visit()
		w.WantStatus(head, "plan", forge.Error, "away")
		w.Visit()
		if w.Plans != 1 {
			t.Errorf("asked %d times within a moment", w.Plans)
		}
		w.CloudErr = nil
		time.Sleep(2 * review.RetryPlan)
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "1 to create")
		w.CloudErr = errors.New("the cloud is away")
		w.Repo.Outdate(time.Now())
		time.Sleep(review.Patience)
		w.Visit()
		w.WantStatus(head, "plan", forge.Error, "away")
		if got := w.Comments(1); !strings.Contains(got[0], "1 to create") {
			t.Errorf("the plan gave way to %q", got)
		}
	})
}

func TestForksAreComparedWithoutACloud(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Files[w.Base] = "old"
		head := w.Open(1, "new")
		pull, err := w.Forge.Pull(w.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		pull.Fork = true
		w.Forge.Put(pull)
		w.Visit()
		if w.Plans != 0 {
			t.Error("the cloud was asked")
		}
		w.WantStatus(head, "plan", forge.Pending, "not planned: it comes from a fork")
		if got := w.Comments(1); len(got) != 1 || !strings.Contains(got[0], "/stackreeve plan "+head) {
			t.Errorf("comments %q", got)
		}
		w.Restart()
		w.Review.PlanForks = true
		w.Visit()
		if w.Plans != 1 {
			t.Error("the stack says that forks are planned")
		}
	})
}

func TestApprovalsComeFromPeopleWhoMayPush(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "-a -b -c -d")
		hash := planOf(head, "-a -b -c -d").Hash()
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "")
		w.Forge.AddComment(1, "mallory", "/stackreeve approve "+hash)
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "")
		wrong := w.Forge.AddComment(1, "ann", "/stackreeve approve 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "")
		if r := w.Forge.Reactions(wrong.ID); len(r) != 1 || r[0] != forge.Confused {
			t.Errorf("reactions to a hash that nothing has: %v", r)
		}
		right := w.Forge.AddComment(1, "ann", "/stackreeve approve "+hash)
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "")
		if r := w.Forge.Reactions(right.ID); len(r) != 1 || r[0] != forge.ThumbsUp {
			t.Errorf("reactions to an approval: %v", r)
		}
		w.Restart()
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "")
		time.Sleep(time.Second)
		head = w.Open(1, "-a -b -c -d -e")
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "") // the plan has grown
	})
}

func TestAHeldBranchAsksWhereItCameFrom(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "-a -b -c -d")
		w.Visit()
		commit := w.Merge(1, head)
		grown := planOf(commit, "-a -b -c -d -e")
		w.Pass(commit, grown, grown)
		w.Visit()
		w.WantStatus(commit, "sync", forge.Failure, grown.Hash())
		if got := w.Comments(1); len(got) != 1 || !strings.Contains(got[0], "/stackreeve approve "+grown.Hash()) {
			t.Errorf("comments %q; want what to approve", got)
		}
		if a := w.Branch.Approvals(w.Context(), commit); len(a) != 0 {
			t.Errorf("approvals %+v", a)
		}
		w.Forge.AddComment(1, "ann", "/stackreeve approve "+grown.Hash())
		w.Visit()
		if w.Again != 1 {
			t.Errorf("asked for %d more passes, want 1", w.Again)
		}
		a := w.Branch.Approvals(w.Context(), commit)
		if len(a) != 1 || !a[0].Covers(grown) || a[0].By != "ann" {
			t.Errorf("approvals %+v do not cover the plan", a)
		}
		// After a kill in the middle of the pass, the approval covers the rest, but no additional steps.
		if left := planOf(commit, "-c -d -e"); !a[0].Covers(left) {
			t.Error("what is left of the plan is not covered")
		}
		if more := planOf(commit, "-c -x"); a[0].Covers(more) {
			t.Error("more than was approved is covered")
		}
	})
}

func TestTheCheckRunIsWrittenWithTheComment(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "bad")
		w.Visit()
		c, ok := w.Forge.Check(head, "stackreeve/prod")
		if !ok || c.State != forge.Failure || len(c.Annotations) != 1 || c.Annotations[0].File != "clouds/thing.yaml" || c.Annotations[0].Line != 3 {
			t.Errorf("%+v, %v; want the line", c, ok)
		}
	})
	inWorld(t, func(w *world) {
		w.Forge.NoChecks = true
		head := w.Open(1, "bad")
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "")
	})
}

func TestPlansAreMadeAgainWhenTheBranchOrTheCloudMoves(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		w.Visit()
		commit := w.Merge(2, w.Open(2, "+b"))
		w.Plans = 0
		for range 10 {
			plan := planOf(commit, "+b")
			w.Branch.Ran(ran(commit, plan, planOf(commit, "b"), engine.Result{Step: plan.Steps[0]}))
			w.Visit()
			time.Sleep(time.Second)
		}
		if w.Plans != 0 {
			t.Errorf("%d plans while everything moves", w.Plans)
		}
		time.Sleep(review.Settle)
		w.Visit()
		if w.Plans != 1 {
			t.Errorf("%d plans once it is quiet, want 1", w.Plans)
		}
		for range 300 { // the branch never becomes quiet
			w.Repo.Outdate(time.Now())
			w.Visit()
			time.Sleep(time.Second)
		}
		if w.Plans < 2 || w.Plans > 3 {
			t.Errorf("%d plans in five minutes without rest, want 2 or 3", w.Plans)
		}
	})
}

func TestPeopleAreAnsweredOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		w.Visit()
		w.Forge.AddComment(1, "mallory", "/stackreeve help")
		w.Forge.AddComment(1, "ann", "/stackreeve help")
		odd := w.Forge.AddComment(1, "ann", "/stackreeve dance")
		for range 3 {
			w.Visit()
			time.Sleep(time.Minute)
		}
		w.Restart()
		w.Visit()
		if got := w.Comments(1); len(got) != 3 || !strings.Contains(got[1], "approve HASH") || !strings.Contains(got[2], "do not know") {
			t.Errorf("comments %q; want the plan and two answers", got)
		}
		if r := w.Forge.Reactions(odd.ID); len(r) != 1 || r[0] != forge.Confused {
			t.Errorf("reactions to what is not known: %v", r)
		}
	})
}

func TestAPlanThatIsAskedForIsMadeAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		w.Visit()
		w.Forge.AddComment(1, "mallory", "/stackreeve plan")
		w.Visit()
		if w.Plans != 1 {
			t.Errorf("%d plans for somebody who may not push", w.Plans)
		}
		c := w.Forge.AddComment(1, "ann", "/stackreeve plan")
		for range 3 {
			w.Visit()
		}
		if r := w.Forge.Reactions(c.ID); w.Plans != 2 || len(r) != 1 || r[0] != forge.Eyes {
			t.Errorf("%d plans and %v; want one more, and a sign", w.Plans, r)
		}
	})
}
