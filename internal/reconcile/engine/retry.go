package engine

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// history has the results of one step so far in this pass.
type history struct {
	failures        int
	runs            []plan.Action // the action of each success; of updates, only those of the same update in a row.
	wanted          uint64        // hash of the last update.
	upkeeps         int           // number of updates that carried out upkeep.
	why             string        // the reason of its last replacement.
	busy            int           // number of ErrBusy since the last success
	idle            bool          // true if no other step was in progress at the last ErrNotYet.
	first           time.Time     // time of the first ErrBusy or ErrNotYet since the last success
	notUntil        time.Time
	err             error
	final           bool
	rejected        time.Time      // start of the attempt that the cloud rejected.
	retriedRejected bool           // true if it was tried again after a rejection.
	ways            map[string]int // how often the cloud accepted a change by its way; nil before the first.
	maxWays         int            // largest number of ways in one step.
}

// healable reports whether a failed object may be recreated without the brake, because this pass itself created it and nobody
// could use it yet.
func (r *run) healable(s plan.Step) bool {
	t := r.histories[s.Identity()]
	return s.Unused && t != nil && t.times(plan.Create) > 0
}

// times returns how often the action was successful.
func (t *history) times(action plan.Action) (n int) {
	for _, done := range t.runs {
		if done == action {
			n++
		}
	}
	return n
}

// maxRuns is how often one pass carries out the same action on the same object. After so many times, the cloud evidently accepts
// the request without effect.
const maxRuns = 4

// repeats reports whether the pass has carried out an action on the object too often. A failed object that the pass has
// recreated too often stays, so that people can examine it.
func (t *history) repeats(action plan.Action) bool {
	return max(t.times(action), t.remakings(action)) >= maxRuns
}

// noteSuccess counts a success. An update with other values than the last one is no repetition. For
// example, a load balancer is changed before and after each member of the group that it sends to.
func (t *history) noteSuccess(s plan.Step) {
	if s.Action == plan.Update {
		if wanted := wantedHash(s); wanted != t.wanted {
			t.wanted = wanted
			t.runs = slices.DeleteFunc(t.runs, func(a plan.Action) bool { return a == plan.Update })
		}
	}
	t.runs = append(t.runs, s.Action)
	if s.IsUpkeep {
		t.upkeeps++
	}
}

func wantedHash(s plan.Step) uint64 {
	h := fnv.New64a()
	for _, c := range s.Changes {
		fmt.Fprintf(h, "%s=%v\n", c.Field, c.Want)
	}
	return h.Sum64()
}

// didUpkeep reports whether the pass has already carried out the upkeep that is due for an object. The same upkeep is not carried
// out twice in one pass, even if the cloud still shows it as due.
func (t *history) didUpkeep(s plan.Step) bool {
	return s.IsUpkeep && t.times(plan.Update) > 0 && t.wanted == wantedHash(s)
}

// onlyUpkeep reports whether upkeep would be the only reason why the pass continues. Upkeep can become due again and again, for
// example if it takes longer than its interval. Therefore the next pass carries it out if nothing else is in progress.
func (r *run) onlyUpkeep(t *history, s plan.Step) bool {
	if !s.IsUpkeep || t.upkeeps == 0 || len(r.round.waiting) > 0 {
		return false
	}
	for _, a := range r.doing {
		if !a.IsUpkeep {
			return false
		}
	}
	for _, c := range r.round.queue {
		if other := r.histories[c.id]; !c.step.IsUpkeep && (other == nil || !other.final) {
			return false
		}
	}
	return true
}

// noteWays counts, by change, how often the cloud has accepted a change with a chosen way.
func (t *history) noteWays(s plan.Step) {
	n := 0
	for _, c := range s.Changes {
		if c.Way != "" {
			if t.ways == nil {
				t.ways = map[string]int{}
			}
			t.ways[wayOf(c)]++
			n++
		}
	}
	t.maxWays = max(t.maxWays, n)
}

func wayOf(c kind.Change) string { return c.Field + " by " + c.Way }

// ineffectiveChange returns a change that the cloud accepted in this pass but did not carry out, or "" if there is none. The pass does not request it
// again, because each request may stop a machine. If a step has several such changes, the cloud may carry out one per request, so as many requests as
// changes are allowed.
func (t *history) ineffectiveChange(s plan.Step) string {
	if s.Action != plan.Update {
		return ""
	}
	for _, c := range s.Changes {
		if c.Way != "" && t.ways[wayOf(c)] >= max(t.maxWays, 1) {
			return wayOf(c)
		}
	}
	return ""
}

// withoutEffect returns the error for a step that is not tried again because it was repeated too often.
func (t *history) withoutEffect(s plan.Step) error {
	return fmt.Errorf("the cloud accepted to %s this object %d times in this pass without lasting effect (%s); check the cloud's own log for the reason",
		s.Action, maxRuns, cmp.Or(t.why, s.ShortCause()))
}

// remakings returns how often the pass has created the object, if action is a replacement; otherwise 0.
func (t *history) remakings(action plan.Action) int {
	if action == plan.Recreate {
		return t.times(plan.Create)
	}
	return 0
}

// ensureHistory returns the history of a step. It creates the history if there is none.
func (r *run) ensureHistory(id string) *history {
	if r.histories[id] == nil {
		r.histories[id] = &history{}
	}
	return r.histories[id]
}

// noteFailure records that an attempt that started at began has failed.
func (r *run) noteFailure(id string, s plan.Step, began time.Time, err error) {
	t, now := r.ensureHistory(id), time.Now()
	t.err = err
	r.engine.past().NoteFailure(&s, err, now, r.timing.UnansweredWait)
	var later *kind.RetryAfterError
	switch {
	case errors.Is(err, kind.ErrGone) && s.Action != plan.Create && t.failures+1 < r.timing.Tries:
		t.failures++ // the next list shows whether this object is really gone
		t.err = nil
	case errors.Is(err, kind.ErrRejected):
		t.final, t.rejected = true, began // a deletion after this time may have freed the resource that the attempt lacked
		r.noteRefusedDemand(s, err)
	case errors.Is(err, kind.ErrNotYet):
		if t.first.IsZero() {
			t.first = now
		}
		idle := r.idle(id)
		t.final = idle && t.idle || now.Sub(t.first) > r.timing.BusyWait
		t.idle, t.notUntil = idle, now.Add(r.pause(1))
	case errors.Is(err, kind.ErrBusy):
		if t.first.IsZero() {
			t.first = now
		}
		t.busy++
		t.final = now.Sub(t.first) > r.timing.BusyWait
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

// idle reports whether nothing except the step itself can change the cloud now. No other step is in flight or can be started,
// and the cloud does not work on any object. It returns false while the result of a step is not in a plan yet, because that
// result may let other steps start.
func (r *run) idle(id string) bool {
	if len(r.doing) > 0 || len(r.round.waiting) > 0 || len(r.changed) > 0 {
		return false
	}
	for _, t := range r.round.queue {
		if t.id != id && !r.wouldFailAgain(t.id) {
			return false
		}
	}
	for _, f := range r.fresh {
		for key := range f.stale {
			if !r.wouldFailAgain(key.String()) {
				return false
			}
		}
	}
	return true
}

// wouldFailAgain reports whether the last attempt at a step failed, and another attempt will fail, too, unless another step succeeds
// before.
func (r *run) wouldFailAgain(id string) bool {
	t := r.histories[id]
	return t != nil && (t.final || errors.Is(t.err, kind.ErrNotYet))
}

// retryRejected allows the steps that the cloud has rejected one more attempt,
// if something was deleted since. An address, a name or a part of the quota may
// be free now. It returns false when there are no such steps.
func (r *run) retryRejected() bool {
	any := false
	for _, t := range r.histories {
		if !t.rejected.IsZero() && t.final && !t.retriedRejected && !r.lastDeletion.Before(t.rejected) {
			t.final, t.retriedRejected, any = false, true, true
		}
	}
	if any {
		clear(r.refused)
	}
	return any
}

// pause returns how long a step waits after a number of failures. After the first failure it is between one and two times
// Timing.Backoff.
func (r *run) pause(failures int) time.Duration {
	return backoff.Spread(backoff.Pause(2*r.timing.Backoff, 64*r.timing.Backoff, failures))
}

// lastErrors returns why the steps of the last plan were not carried out, by key.
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
		case t != nil && t.ineffectiveChange(*s) != "":
			errs[s.Key] = fmt.Errorf("the cloud accepted to change %s, and the value is as before; check the cloud's own log for the reason; the next pass tries the change again", t.ineffectiveChange(*s))
		case t != nil && s.Action.Writes() && t.repeats(s.Action):
			errs[s.Key] = t.withoutEffect(*s)
		case r.vanishedAgain(*s):
			errs[s.Key] = errors.New("this pass created the object, but the cloud does not list it any more; the next pass continues")
		case len(s.Awaits) == 0 && r.refusedDemand(s) != nil:
			errs[s.Key] = fmt.Errorf("not tried, because the cloud refused the same request for another object: %w", r.refusedDemand(s))
		}
	}
	return errs
}
