package engine

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// history is the history of one step.
type history struct {
	failures int
	runs     map[plan.Action]int // successes by action; of updates, of the same one in a row
	wanted   uint64              // what the last update wanted
	tends    int                 // how often what was due was done
	why      string              // why it was last recreated
	busy     int                 // ErrBusy in a row
	idle     bool                // nothing else went on at the last ErrNotYet
	first    time.Time           // of the present series of ErrBusy
	notUntil time.Time
	err      error
	final    bool
	rejected time.Time      // when what the cloud has rejected was begun
	again    bool           // had its second chance
	ways     map[string]int // how often the cloud accepted a change by a way
	most     int            // ways that one step had at once, at most
}

// healable allows a failed object that this very pass has made, and that nobody could use yet, to be made again.
func (r *run) healable(s plan.Step) bool {
	t := r.histories[s.Identity()]
	return s.Unused && t != nil && t.runs[plan.Create] > 0
}

// maxRuns is how often one pass does the same to the same object: the cloud
// accepts it again and again, and it does not help.
const maxRuns = 4

// repeats reports whether the pass did the same to the object too often. What could
// not be recreated is left for people to look at instead.
func (t *history) repeats(action plan.Action) bool {
	return max(t.runs[action], t.remakings(action)) >= maxRuns
}

// ran counts a success. An update that wants something else than the last one is no
// repetition of it: what sends to the members of a group is changed before and after each of them.
func (t *history) ran(s plan.Step) {
	if s.Action == plan.Update {
		if wanted := wantedOf(s); wanted != t.wanted {
			t.wanted, t.runs[s.Action] = wanted, 0
		}
	}
	t.runs[s.Action]++
	if s.Tends {
		t.tends++
	}
}

func wantedOf(s plan.Step) uint64 {
	h := fnv.New64a()
	for _, c := range s.Changes {
		fmt.Fprintf(h, "%s=%v\n", c.Field, c.Want)
	}
	return h.Sum64()
}

// tended reports whether the pass has done before what is due of an object: once is enough, whatever the cloud
// shows of it.
func (t *history) tended(s plan.Step) bool {
	return s.Tends && t.runs[plan.Update] > 0 && t.wanted == wantedOf(s)
}

// endless reports whether a step would keep the pass going for itself: what is due again and again, as where it takes longer than
// until the next time, is left to the next pass once nothing else goes on.
func (r *run) endless(t *history, s plan.Step) bool {
	if !s.Tends || t.tends == 0 || len(r.round.waiting) > 0 {
		return false
	}
	for _, a := range r.doing {
		if !a.Step.Tends {
			return false
		}
	}
	for _, c := range r.round.queue {
		if other := r.histories[c.id]; !c.step.Tends && (other == nil || !other.final) {
			return false
		}
	}
	return true
}

// took counts what the cloud has accepted to change by a way that was chosen.
func (t *history) took(s plan.Step) {
	n := 0
	for _, c := range s.Changes {
		if c.Way != "" {
			t.ways[wayOf(c)]++
			n++
		}
	}
	t.most = max(t.most, n)
}

func wayOf(c kind.Change) string { return c.Field + " by " + c.Way }

// inVain is a change that the cloud has accepted to make by its way in this pass, and
// has not made; "" for none. It is not asked for again at once: each time may stop a
// machine. Several that are to be made to one object are made one by one.
func (t *history) inVain(s plan.Step) string {
	if s.Action != plan.Update {
		return ""
	}
	for _, c := range s.Changes {
		if c.Way != "" && t.ways[wayOf(c)] >= max(t.most, 1) {
			return wayOf(c)
		}
	}
	return ""
}

// withoutEffect is why a step that repeats is given up.
func (t *history) withoutEffect(s plan.Step) error {
	return fmt.Errorf("the cloud accepted to %s it %d times in this pass without lasting effect (%s); check the cloud's own log for it",
		s.Action, maxRuns, cmp.Or(t.why, s.Why()))
}

// remakings is how often the object was made already, when action would delete
// it to have it made once more.
func (t *history) remakings(action plan.Action) int {
	if action == plan.Recreate {
		return t.runs[plan.Create]
	}
	return 0
}

// ensureHistory is the history of a step, which it begins where there is none.
func (r *run) ensureHistory(id string) *history {
	if r.histories[id] == nil {
		r.histories[id] = &history{runs: map[plan.Action]int{}, ways: map[string]int{}}
	}
	return r.histories[id]
}

// noteFailure takes note of an attempt that was begun at a time, and has failed.
func (r *run) noteFailure(id string, s plan.Step, began time.Time, err error) {
	t, now := r.ensureHistory(id), time.Now()
	t.err = err
	r.engine.past().NoteFailure(&s, err, now.Add(r.timing.Late))
	var later *kind.RetryAfterError
	switch {
	case errors.Is(err, kind.ErrGone) && s.Action != plan.Create && t.failures+1 < r.timing.Tries:
		t.failures++ // the next list shows whether it is this object that is gone
		t.err = nil
	case errors.Is(err, kind.ErrRejected):
		t.final, t.rejected = true, began // what is deleted from then on may have come too late for it
		r.noteUsedUp(s, err)
	case errors.Is(err, kind.ErrNotYet):
		if t.first.IsZero() {
			t.first = now
		}
		idle := r.idle(id)
		t.final = idle && t.idle || now.Sub(t.first) > r.timing.Busy
		t.idle, t.notUntil = idle, now.Add(r.pause(1))
	case errors.Is(err, kind.ErrBusy):
		if t.first.IsZero() {
			t.first = now
		}
		t.busy++
		t.final = now.Sub(t.first) > r.timing.Busy
		t.notUntil = now.Add(r.pause(min(t.busy, 5)))
	default:
		t.failures++
		t.final = t.failures >= r.timing.Tries
		pause := r.pause(t.failures)
		if errors.As(err, &later) {
			pause = max(pause, later.After)
		}
		t.notUntil = now.Add(pause)
	}
}

// idle reports whether nothing but the step goes on that can change the cloud: no
// other is in flight or can be begun, and the cloud itself is not at work. What was
// written and not planned with yet may let others begin.
func (r *run) idle(id string) bool {
	if len(r.doing) > 0 || len(r.round.waiting) > 0 || len(r.moved) > 0 {
		return false
	}
	for _, t := range r.round.queue {
		if t.id != id && !r.fruitless(t.id) {
			return false
		}
	}
	for _, f := range r.fresh {
		for key := range f.stale {
			if !r.fruitless(key.String()) {
				return false
			}
		}
	}
	return true
}

// fruitless reports whether trying a step changed nothing, and trying it again will not before another has.
func (r *run) fruitless(id string) bool {
	t := r.histories[id]
	return t != nil && (t.final || errors.Is(t.err, kind.ErrNotYet))
}

// retryRejected lets the steps that the cloud has rejected be tried once more if
// something was deleted since: an address, a name or a part of the quota may
// be free now. It returns false when there are none.
func (r *run) retryRejected() bool {
	any := false
	for _, t := range r.histories {
		if !t.rejected.IsZero() && t.final && !t.again && !r.freed.Before(t.rejected) {
			t.final, t.again, any = false, true, true
		}
	}
	if any {
		clear(r.spent)
	}
	return any
}

// pause is how long a step waits that has failed so often: Timing.Backoff at least,
// and twice that at most, after the first time.
func (r *run) pause(failures int) time.Duration {
	return backoff.Spread(backoff.Pause(2*r.timing.Backoff, 64*r.timing.Backoff, failures))
}

// lastErrors are why the steps of the last plan were not carried out, by key.
func (r *run) lastErrors(last plan.Plan) map[manifest.Key]error {
	errs := map[manifest.Key]error{}
	for i := range last.Steps {
		s := &last.Steps[i]
		t := r.histories[s.Identity()]
		switch {
		case r.stuck[s.Key] != nil:
			errs[s.Key] = r.stuck[s.Key]
		case t != nil && t.err != nil:
			errs[s.Key] = t.err
		case t != nil && t.inVain(*s) != "":
			errs[s.Key] = fmt.Errorf("the cloud accepted to change %s, and it is as before; check the cloud's own log for why, the next pass tries it again", t.inVain(*s))
		case t != nil && s.Action.Writes() && t.repeats(s.Action):
			errs[s.Key] = t.withoutEffect(*s)
		case r.vanishedAgain(*s):
			errs[s.Key] = errors.New("it was created by this pass, and the cloud does not list it any more; the next pass goes on with it")
		case s.Action == plan.Create && len(s.Awaits) == 0 && r.usedUp(s) != nil:
			errs[s.Key] = fmt.Errorf("not tried, since another like it was refused: %w", r.usedUp(s))
		}
	}
	return errs
}
