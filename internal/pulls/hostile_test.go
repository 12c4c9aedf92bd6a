package pulls

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
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
	w.repo.Add(s, schedule.Schedule{})
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

func TestEventsThatComeBeforeTheBranchIsKnown(t *testing.T) {
	inWorld(t, func(w *world) {
		head := w.open(1, "+a")
		known := false
		last := w.stack.Last
		w.stack.Last = func() (source.Revision, bool) {
			w.mu.Lock()
			ok := known
			w.mu.Unlock()
			rev, _ := last()
			return rev, ok
		}
		w.serve()
		w.repo.Heard(1)
		w.stack.Ran(report.Run{Stack: "prod", Err: errors.New("the repository does not answer")})
		synctest.Wait()
		w.mu.Lock()
		known = true
		w.mu.Unlock()
		done := planOf(w.base, "a")
		w.pass(w.base, done, done)
		w.wantStatus(head, "plan", forge.Success, "1 to create")
		w.stop()
	})
}

func TestErrorsThatDifferInTheRequestOnlyAreToldOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.merge(1, w.open(1, "+a"))
		for n := range 5 {
			err := fmt.Errorf("500 (Request-ID: req-0000000%d-1111-2222-3333-444444444444)", n)
			w.stack.Ran(report.Run{Stack: "prod", Revision: source.Revision{Commit: commit, Branch: "main"}, Err: err})
			w.look()
		}
		if _, n := w.forge.Status(commit, "stackreeve/prod/sync"); n != 1 {
			t.Errorf("%d statuses", n)
		}
	})
}

func TestThePollOfEveryStackCounts(t *testing.T) {
	inWorld(t, func(w *world) {
		often, err := schedule.Parse("@every 1m")
		if err != nil {
			t.Fatal(err)
		}
		w.repo.Add(&Stack{Name: "often", Last: w.last, Merged: w.merged, Read: w.read, Plan: w.plan, Again: func() {}}, often)
		w.serve()
		head := w.open(1, "+a")
		time.Sleep(2 * time.Minute)
		w.stop()
		w.wantStatus(head, "plan", forge.Success, "1 to create")
	})
}
