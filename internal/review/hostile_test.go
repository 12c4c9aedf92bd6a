package review_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// One pull request cannot be read. The others are still planned.
func TestAPullRequestThatCannotBeReadStopsNoOther(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		head := w.Open(2, "+b")
		w.Failing(forge.ErrUnavailable, "comments 1")
		w.Serve()
		w.WantStatus(head, "plan", forge.Success, "1 to create")
		merged := w.Merge(3, w.Open(3, "+c"))
		w.Pass(merged, planOf(merged, "+c"), planOf(merged, "c"))
		time.Sleep(time.Minute)
		synctest.Wait()
		w.WantStatus(merged, "sync", forge.Success, "in sync")
		w.Failing(nil)
		time.Sleep(review.LongRetry)
		w.Stop()
		w.Visit()
		if got := w.Comments(1); len(got) != 1 {
			t.Errorf("later: comments %q", got)
		}
	})
}

func TestWithoutTheRightToCommentThereAreStatuses(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "+a")
		w.Failing(forge.ErrRefused, "comments", "post", "react", "edit")
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "1 to create")
		commit := w.Merge(1, head)
		w.Pass(commit, planOf(commit, "+a"), planOf(commit, "a"))
		w.Visit()
		w.WantStatus(commit, "sync", forge.Success, "in sync")
	})
}

func TestWithoutTheRightToSetStatusesThereAreComments(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "-a -b -c -d")
		w.Failing(forge.ErrRefused, "statuses", "status", "check")
		w.Visit()
		commit := w.Merge(1, head)
		held := planOf(commit, "-a -b -c -d -e")
		w.Pass(commit, held, held)
		w.Visit()
		if got := w.Comments(1); len(got) != 1 || !strings.Contains(got[0], held.Hash()) {
			t.Errorf("comments %q; want what to approve", got)
		}
	})
}

func TestAForgeThatDoesNotSayWhoMayPushStopsNoPlan(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "-a -b -c -d")
		w.Forge.AddComment(1, "ann", "/stackreeve approve "+planOf(head, "-a -b -c -d").Hash())
		w.Failing(forge.ErrRefused, "right")
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "approve")
	})
}

func TestALimitIsNotAskedPast(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		w.Forge.SetDown(&forge.LimitedError{Until: time.Now().Add(time.Hour)})
		w.Serve()
		for range 59 {
			time.Sleep(time.Minute)
			w.Repo.Notify(1)
			done := planOf(w.Base, "a")
			w.Pass(w.Base, done, done)
		}
		if got := w.Forge.Requests(); len(got) > 6 {
			t.Errorf("%d requests within the limit: %q", len(got), got)
		}
		w.Forge.SetDown(nil)
		time.Sleep(2 * time.Minute)
		w.Stop()
		w.WantStatus(w.Base, "sync", forge.Success, "in sync")
		if len(w.Comments(1)) != 1 {
			t.Error("no plan after the limit")
		}
	})
}

func TestAWrongAnswerIsNoReasonToGiveUp(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Open(1, "+a")
		tries := 0
		w.Forge.Answer(func(request, _ string) error {
			if request == "list" {
				if tries++; tries%2 == 1 {
					return errors.Join(forge.ErrUnavailable, errors.New("502"))
				}
			}
			return nil
		})
		w.Serve()
		time.Sleep(time.Minute)
		w.Stop()
		if len(w.Comments(1)) != 1 {
			t.Error("no plan")
		}
	})
}

func TestEventsThatComeBeforeTheBranchIsKnown(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.Open(1, "+a")
		known := false
		last := w.Review.Last
		w.Review.Last = func() (source.Revision, bool) {
			w.Mu.Lock()
			ok := known
			w.Mu.Unlock()
			rev, _ := last()
			return rev, ok
		}
		w.Serve()
		w.Repo.Notify(1)
		w.Branch.Ran(report.Run{Stack: "prod", Err: errors.New("the repository does not answer")})
		synctest.Wait()
		w.Mu.Lock()
		known = true
		w.Mu.Unlock()
		done := planOf(w.Base, "a")
		w.Pass(w.Base, done, done)
		w.WantStatus(head, "plan", forge.Success, "1 to create")
		w.Stop()
	})
}

func TestThePollOfEveryStackCounts(t *testing.T) {
	inWorld(t, func(w *world) {
		often, err := schedule.Parse("@every 1m")
		if err != nil {
			t.Fatal(err)
		}
		w.Another("often", often)
		w.Serve()
		head := w.Open(1, "+a")
		time.Sleep(2 * time.Minute)
		w.Stop()
		w.WantStatus(head, "plan", forge.Success, "1 to create")
	})
}

// A person makes some conversations unreadable. Pull requests into another branch are still planned.
func TestAttackPullRequestsThatCannotBeReadIntoAnotherBranch(t *testing.T) {
	inWorld(t, func(w *world) {
		dev, last := w.Another("devstack", schedule.Schedule{}), w.Review.Last
		dev.Last = func() (source.Revision, bool) {
			rev, ok := last()
			rev.Branch = "dev" // a branch that is visited before main
			return rev, ok
		}
		var unreadable []string
		for number := 2; number <= 4; number++ {
			w.Open(number, fmt.Sprint("+x", number))
			pull, err := w.Forge.Pull(w.Context(), number)
			if err != nil {
				t.Fatal(err)
			}
			pull.Base = "dev"
			w.Forge.Put(pull)
			unreadable = append(unreadable, fmt.Sprint("comments ", number))
		}
		w.Failing(forge.ErrUnavailable, unreadable...)
		head := w.Open(1, "+a")
		if err := w.Repo.Once(w.Context()); !errors.Is(err, forge.ErrUnavailable) {
			t.Errorf("the visit says %v", err)
		}
		w.WantStatus(head, "plan", forge.Success, "1 to create")
	})
}
