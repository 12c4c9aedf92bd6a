package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// If an earlier request may still create an object, the object is not created before the time at which
// that request ends.
func TestWhatMayStillBeMade(t *testing.T) {
	until := time.Now().Add(time.Hour)
	for name, c := range map[string]struct {
		action plan.Action
		former time.Duration
		waits  bool
	}{"a creation": {plan.Create, time.Minute, true}, "a change": {plan.Update, time.Minute, false}, "of a cloud that ends requests": {plan.Create, 0, false}} {
		r := newTestRun()
		r.timing.KilledWait = c.former
		r.engine.past().NoteKilled(until)
		s := stepFor("a", c.action)
		if got := r.notShownUntil(&s); got.IsZero() == c.waits {
			t.Errorf("%s: until %s", name, got)
		}
		if got := r.notUntil(candidate{id: "Thing/a", step: &s}); got.IsZero() == c.waits {
			t.Errorf("%s: not before %s", name, got)
		}
		r.ensureHistory("Thing/a").notUntil = until.Add(time.Hour)
		if got := r.notUntil(candidate{id: "Thing/a", step: &s}); !got.Equal(until.Add(time.Hour)) {
			t.Errorf("%s, after a failure: not before %s", name, got)
		}
		r.histories = map[string]*history{}
		if r.fresh["Thing"].began = until; c.waits && !r.notUntil(candidate{id: "Thing/a", step: &s}).IsZero() {
			t.Errorf("%s: it waits although the list is new", name)
		}
	}
}

// Progress counts what was written and what is left. Activities come in the order in which they began.
func TestProgressOfAPass(t *testing.T) {
	r := newTestRun()
	r.writeCount, r.round.writes, r.round.done = 7, 5, 2
	for i, name := range []string{"c", "a", "b"} {
		s := stepFor(name, plan.Create)
		r.doing[name] = ActivityOf(&s, time.Unix(int64(i), 0))
	}
	p := r.progress()
	var order string
	for _, a := range p.Doing {
		order += a.Key.Name
	}
	if p.Done != 7 || p.Total != 10 || order != "cab" {
		t.Errorf("%d of %d, %s", p.Done, p.Total, order)
	}
}

// Watchers get the progress after each answer of the cloud. So it must cost little while many steps are in flight.
func TestProgressTakesLittleMemory(t *testing.T) {
	r := newTestRun()
	for i := range 50 {
		name := fmt.Sprint(i)
		s := stepFor(name, plan.Create)
		r.doing[name] = ActivityOf(&s, time.Unix(int64(i), 0))
	}
	const times, most = 100, 8 << 10
	took := testcost.Allocated(func() {
		for range times {
			r.progress()
		}
	})
	if took > times*most {
		t.Errorf("the progress of 50 steps takes %d bytes, want %d at most", took/times, most)
	}
}

// An answer may show that the cloud works on an object. Then the duration of the step ends with the
// list that shows the result.
func TestHowLongStepsTake(t *testing.T) {
	for name, c := range map[string]struct {
		action  plan.Action
		live    *kind.Live
		left    int
		working bool
	}{
		"changed":    {plan.Update, nil, 1, false},
		"being made": {plan.Create, &kind.Live{Phase: kind.Pending}, 1, true},
		"made":       {plan.Create, &kind.Live{Phase: kind.Ready}, 0, false},
	} {
		r := newTestRun()
		r.noteCarriedOut(outcome{live: c.live, result: Result{Step: stepFor("a", c.action)}}, 0)
		if r.pass.Results = []Result{{Step: stepFor("a", c.action)}}; len(r.unfinished) != c.left || c.left > 0 && r.unfinished[0].working != c.working {
			t.Errorf("%s: %+v", name, r.unfinished)
		}
	}
}
