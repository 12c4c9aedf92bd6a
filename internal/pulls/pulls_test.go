package pulls

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func TestEveryPullRequestIsPlannedOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		w.look()
		w.wantStatus(head, "plan", forge.Success, "1 to create")
		if s := w.status(head, "plan"); s.URL == "" {
			t.Error("the status leads nowhere")
		}
		if got := w.comments(1); len(got) != 1 || !strings.Contains(got[0], "1 to create") {
			t.Errorf("comments %q", got)
		}
		w.forge.Writes()
		for range 5 {
			time.Sleep(time.Minute)
			w.look()
		}
		if writes := w.forge.Writes(); len(writes) != 0 || w.plans != 1 {
			t.Errorf("%d plans and %q without news", w.plans, writes)
		}
		w.restart()
		w.look()
		if writes := w.forge.Writes(); len(writes) != 0 {
			t.Errorf("%q was written after a restart", writes)
		}
	})
}

func TestAPushEditsTheComment(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		w.look()
		time.Sleep(time.Second)
		head := w.open(1, "+a +b")
		w.look()
		if got := w.comments(1); len(got) != 1 || !strings.Contains(got[0], "2 to create") {
			t.Errorf("comments %q", got)
		}
		w.wantStatus(head, "plan", forge.Success, "2 to create")
	})
}

func TestWhatTouchesNothingIsQuiet(t *testing.T) {
	inWorld(t, func(w *world) {
		w.files[w.base] = "same"
		head := w.open(1, "same")
		w.look()
		if s := w.status(head, "plan"); s.State != forge.Success || len(w.comments(1)) != 0 || w.plans != 0 {
			t.Errorf("%+v, comments %q, %d plans; want a quiet success", s, w.comments(1), w.plans)
		}
		w.open(1, "+a")
		w.look()
		time.Sleep(time.Second)
		head = w.open(1, "same")
		w.look()
		w.wantStatus(head, "plan", forge.Success, "")
		if got := w.comments(1); len(got) != 1 || strings.Contains(got[0], "1 to create") {
			t.Errorf("the comment still plans something: %q", got)
		}
	})
}

func TestErrorsInManifestsAreTold(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "bad")
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "")
		if got := w.comments(1); len(got) != 1 || !strings.Contains(got[0], "thing.yaml:3") {
			t.Errorf("comments %q; want the line", got)
		}
		head = w.open(2, "conflict")
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "conflict")
	})
}

func TestACloudThatIsAwayIsAskedAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		w.cloudErr = errors.New("the cloud is away")
		head := w.open(1, "+a")
		w.look()
		w.wantStatus(head, "plan", forge.Error, "away")
		w.look()
		if w.plans != 1 {
			t.Errorf("asked %d times within a moment", w.plans)
		}
		w.cloudErr = nil
		time.Sleep(2 * retryPlan)
		w.look()
		w.wantStatus(head, "plan", forge.Success, "1 to create")
		w.cloudErr = errors.New("the cloud is away")
		w.repo.Moved(time.Now())
		time.Sleep(patience)
		w.look()
		w.wantStatus(head, "plan", forge.Error, "away")
		if got := w.comments(1); !strings.Contains(got[0], "1 to create") {
			t.Errorf("the plan gave way to %q", got)
		}
	})
}

func TestForksAreComparedWithoutACloud(t *testing.T) {
	inWorld(t, func(w *world) {
		w.files[w.base] = "old"
		head := w.open(1, "new")
		pull, err := w.forge.Pull(w.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		pull.Fork = true
		w.forge.Put(pull)
		w.look()
		if w.plans != 0 {
			t.Error("the cloud was asked")
		}
		w.wantStatus(head, "plan", forge.Pending, "not planned: it comes from a fork")
		if got := w.comments(1); len(got) != 1 || !strings.Contains(got[0], "/stackreeve plan "+head) {
			t.Errorf("comments %q", got)
		}
		w.restart()
		w.stack.PlanForks = true
		w.look()
		if w.plans != 1 {
			t.Error("the stack says that forks are planned")
		}
	})
}

func TestApprovalsComeFromPeopleWhoMayPush(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "-a -b -c -d")
		hash := planOf(head, "-a -b -c -d").Hash()
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "")
		w.forge.Say(1, "mallory", "/stackreeve approve "+hash)
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "")
		wrong := w.forge.Say(1, "ann", "/stackreeve approve 0123456789abcdef0123456789abcdef")
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "")
		if r := w.forge.Reactions(wrong.ID); len(r) != 1 || r[0] != forge.Confused {
			t.Errorf("reactions to a hash that nothing has: %v", r)
		}
		right := w.forge.Say(1, "ann", "/stackreeve approve "+hash)
		w.look()
		w.wantStatus(head, "plan", forge.Success, "")
		if r := w.forge.Reactions(right.ID); len(r) != 1 || r[0] != forge.ThumbsUp {
			t.Errorf("reactions to an approval: %v", r)
		}
		w.restart()
		w.look()
		w.wantStatus(head, "plan", forge.Success, "")
		time.Sleep(time.Second)
		head = w.open(1, "-a -b -c -d -e")
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "") // it has grown
	})
}

func TestAHeldBranchAsksWhereItCameFrom(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "-a -b -c -d")
		w.look()
		commit := w.merge(1, head)
		grown := planOf(commit, "-a -b -c -d -e")
		w.pass(commit, grown, grown)
		w.look()
		w.wantStatus(commit, "sync", forge.Failure, grown.Hash())
		if got := w.comments(1); len(got) != 1 || !strings.Contains(got[0], "/stackreeve approve "+grown.Hash()) {
			t.Errorf("comments %q; want what to approve", got)
		}
		if a := w.stack.Approvals(w.Context(), commit); len(a) != 0 {
			t.Errorf("approvals %+v", a)
		}
		w.forge.Say(1, "ann", "/stackreeve approve "+grown.Hash())
		w.look()
		if w.again != 1 {
			t.Errorf("asked for %d more passes, want 1", w.again)
		}
		a := w.stack.Approvals(w.Context(), commit)
		if len(a) != 1 || !a[0].Covers(grown) || a[0].By != "ann" {
			t.Errorf("approvals %+v do not cover the plan", a)
		}
		// A kill half-way: what is left is covered, what is more is not.
		if left := planOf(commit, "-c -d -e"); !a[0].Covers(left) {
			t.Error("what is left of the plan is not covered")
		}
		if more := planOf(commit, "-c -x"); a[0].Covers(more) {
			t.Error("more than was approved is covered")
		}
	})
}

func TestTheOutcomeGoesOnTopOfThePlan(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		w.look()
		commit := w.merge(1, head)
		done := plan.Plan{Stack: "prod", Commit: commit, Owned: 1}
		w.stack.Planned(planOf(commit, "+a"))
		w.repo.Outbox.Flush(w.Context())
		w.wantStatus(commit, "sync", forge.Pending, "1 to create")
		w.pass(commit, planOf(commit, "+a"), done)
		w.look()
		w.wantStatus(commit, "sync", forge.Success, "in sync: 1 object")
		w.wantStatus(commit, "drift", forge.Success, "no drift")
		got := w.comments(1)
		if len(got) != 1 || !strings.Contains(got[0], divider) || !strings.Contains(got[0], "1 to create") {
			t.Errorf("comments %q; want the outcome above the plan", got)
		}
		w.forge.Writes()
		for range 3 {
			w.pass(commit, done, done)
			w.look()
		}
		w.restart()
		if !w.stack.WasSynced(w.Context(), commit) {
			t.Error("the forge does not know what was in sync")
		}
		w.pass(commit, done, done)
		w.look()
		if writes := w.forge.Writes(); len(writes) != 0 {
			t.Errorf("%q was written without news", writes)
		}
	})
}

func TestTheOutcomeIsThatOfThePassThatDidIt(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		w.look()
		commit := w.merge(1, head)
		done := planOf(commit, "a")
		w.stack.Ran(ran(commit, planOf(commit, "+a"), done, engine.Result{Step: planOf(commit, "+a").Steps[0]}))
		for range 3 {
			w.pass(commit, done, done) // before anything could be told
		}
		w.look()
		if got := w.comments(1); len(got) != 1 || !strings.Contains(got[0], "1 created") {
			t.Errorf("comments %q; want what was done", got)
		}
	})
}

func TestAForgeThatIsAwayGetsEverythingLater(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		w.look()
		commit := w.merge(1, head)
		w.forge.SetDown(forge.ErrUnavailable)
		done := plan.Plan{Stack: "prod", Commit: commit, Owned: 1}
		w.pass(commit, planOf(commit, "+a"), done)
		if err := w.repo.Look(w.Context()); !errors.Is(err, forge.ErrUnavailable) {
			t.Errorf("the look says %v", err)
		}
		w.forge.SetDown(nil)
		w.look()
		w.wantStatus(commit, "sync", forge.Success, "in sync")
	})
}

func TestTheCheckRunIsWrittenWithTheComment(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "bad")
		w.look()
		c, ok := w.forge.Check(head, "stackreeve/prod")
		if !ok || c.State != forge.Failure || len(c.Annotations) != 1 || c.Annotations[0].File != "clouds/thing.yaml" || c.Annotations[0].Line != 3 {
			t.Errorf("%+v, %v; want the line", c, ok)
		}
	})
	inWorld(t, func(w *world) {
		w.forge.NoChecks = true
		head := w.open(1, "bad")
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "")
	})
}

func TestPlansAreMadeAgainWhenTheBranchOrTheCloudMoves(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		w.look()
		commit := w.merge(2, w.open(2, "+b"))
		w.plans = 0
		for range 10 {
			plan := planOf(commit, "+b")
			w.stack.Ran(ran(commit, plan, planOf(commit, "b"), engine.Result{Step: plan.Steps[0]}))
			w.look()
			time.Sleep(time.Second)
		}
		if w.plans != 0 {
			t.Errorf("%d plans while everything moves", w.plans)
		}
		time.Sleep(settle)
		w.look()
		if w.plans != 1 {
			t.Errorf("%d plans once it is quiet, want 1", w.plans)
		}
		for range 300 { // it never is
			w.repo.Moved(time.Now())
			w.look()
			time.Sleep(time.Second)
		}
		if w.plans < 2 || w.plans > 3 {
			t.Errorf("%d plans in five minutes without rest, want 2 or 3", w.plans)
		}
	})
}

func TestPeopleAreAnsweredOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		w.look()
		w.forge.Say(1, "mallory", "/stackreeve help")
		w.forge.Say(1, "ann", "/stackreeve help")
		odd := w.forge.Say(1, "ann", "/stackreeve dance")
		for range 3 {
			w.look()
			time.Sleep(time.Minute)
		}
		w.restart()
		w.look()
		if got := w.comments(1); len(got) != 3 || !strings.Contains(got[1], "approve HASH") || !strings.Contains(got[2], "do not know") {
			t.Errorf("comments %q; want the plan and two answers", got)
		}
		if r := w.forge.Reactions(odd.ID); len(r) != 1 || r[0] != forge.Confused {
			t.Errorf("reactions to what is not known: %v", r)
		}
	})
}

func TestAPlanThatIsAskedForIsMadeAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		w.open(1, "+a")
		w.look()
		w.forge.Say(1, "mallory", "/stackreeve plan")
		w.look()
		if w.plans != 1 {
			t.Errorf("%d plans for somebody who may not push", w.plans)
		}
		c := w.forge.Say(1, "ann", "/stackreeve plan")
		for range 3 {
			w.look()
		}
		if r := w.forge.Reactions(c.ID); w.plans != 2 || len(r) != 1 || r[0] != forge.Eyes {
			t.Errorf("%d plans and %v; want one more, and a sign", w.plans, r)
		}
	})
}

func TestLongPassesTellHowFarTheyAre(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.merge(1, w.open(1, "+a +b"))
		plan := planOf(commit, "+a +b")
		w.stack.Planned(plan)
		w.repo.Outbox.Flush(w.Context())
		for i := range 3600 {
			w.stack.Progress(engine.Progress{Done: 1, Total: 2, Waiting: []engine.Activity{{Step: plan.Steps[1]}}})
			w.repo.Outbox.Flush(w.Context())
			if i == 20 {
				w.wantStatus(commit, "sync", forge.Pending, "1 of 2 done, waiting for Thing/b")
			}
			time.Sleep(time.Second)
		}
		if _, n := w.forge.Status(commit, "stackreeve/prod/sync"); n != 2 {
			t.Errorf("%d statuses while nothing changes, want 2", n)
		}
	})
}
