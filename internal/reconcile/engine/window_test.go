package engine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// until returns a window that ends at a time.
func until(end time.Time) func(time.Time) (time.Time, string) {
	return func(at time.Time) (time.Time, string) {
		if at.Before(end) {
			return end, ""
		}
		return time.Time{}, "not before tomorrow"
	}
}

// When the window closes, no more steps are started, and steps in flight are finished. The pass reports the
// remaining steps.
func TestAWindowClosesWhileAPassRuns(t *testing.T) {
	w := thingtest.New()
	e := engineOf(w)
	e.Parallelism = 1
	w.Delay = 10 // number of lists until an object is usable; they take half a minute
	want, err := w.Wanted("a", "b atop=a", "c atop=b")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		within := guard.Within(until(time.Now().Add(45 * time.Second)))
		pass := e.Sync(context.Background(), Revision{Commit: "c", Want: want, Policies: []plan.Policy{within}})
		if w.Writes != 2 || pass.Outcome() != plan.OutOfSync || !strings.Contains(pass.Last.Suspended, "not before tomorrow") {
			t.Errorf("%d writes, %s, suspended %q; want 2 writes", w.Writes, pass.Outcome(), pass.Last.Suspended)
		}
	})
}

// Outside its window nothing is deleted, replaced or wiped. All other steps are carried out.
func TestNothingIsDestroyedOutsideOfItsWindow(t *testing.T) {
	w := thingtest.New()
	e := engineOf(w)
	inTurn(t, w, e, Revision{Commit: "b"}, "a", "b", "c shape=round")
	closed := Revision{Commit: "c", Policies: []plan.Policy{guard.DestroyWithin(until(time.Time{}))}}
	pass := inTurn(t, w, e, closed, "a colour=red", "c shape=flat", "d")
	if len(w.Things) != 4 || pass.Outcome() != plan.OutOfSync {
		t.Errorf("%d things are left, %s: %v", len(w.Things), pass.Outcome(), pass.Failures)
	}
	if len(pass.Failures) != 0 {
		t.Errorf("what waits for its time is a failure: %v", pass.Failures)
	}
	if pass := inTurn(t, w, e, Revision{Commit: "c"}, "a colour=red", "c shape=flat", "d"); pass.Outcome() != plan.InSync || len(w.Things) != 3 {
		t.Errorf("without the window %d things, %s", len(w.Things), pass.Outcome())
	}
}

// If the window for destructive steps closes while a pass runs, no such step is started. All other steps are carried
// out.
func TestAWindowForWhatDestroysClosesWhileAPassRuns(t *testing.T) {
	w := thingtest.New()
	e := engineOf(w)
	e.Parallelism = 1
	inTurn(t, w, e, Revision{Commit: "b"}, "a", "b", "c")
	synctest.Test(t, func(t *testing.T) {
		want, err := w.Wanted("a", "d", "e atop=d", "f atop=e")
		if err != nil {
			t.Fatal(err)
		}
		within := guard.DestroyWithin(until(time.Now().Add(15 * time.Second)))
		e.Watcher = slow{}
		pass := e.Sync(context.Background(), Revision{Commit: "c", Want: want, Policies: []plan.Policy{within}})
		refused := 0
		for _, s := range pass.Last.Steps {
			if s.Action == plan.Refuse && strings.Contains(s.FullCause(), "not before tomorrow") {
				refused++
			}
		}
		if len(w.Things) != 5 || refused != 1 || len(pass.Failures) != 0 || pass.Outcome() != plan.OutOfSync {
			t.Errorf("%d things are left, %d steps refused, %s: %v; want one of two deleted, and the rest done", len(w.Things), refused, pass.Outcome(), pass.Failures)
		}
	})
}

// slow is a watcher that makes each step start ten seconds after the previous one.
type slow struct{}

func (slow) Planned(plan.Plan, preflight.Findings) {}
func (slow) Started(plan.Step)                     {}
func (slow) Finished(Result)                       { time.Sleep(10 * time.Second) }
func (slow) Progress(Progress)                     {}
