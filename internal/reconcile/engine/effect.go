package engine

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A step is carried out when the cloud has answered its requests. It is finished when the cloud shows the result:
//
//	the step           it is finished when
//	----------------   -------------------------------------------
//	create, update     the object can be used
//	replace, delete    the object is gone
//	detach             the cloud has answered
//	any step           the answer itself already shows the result
//
// An update counts as finished at the time of its answer if the first list after it shows a usable object. The list does
// not say since when the object is usable.

// unfinished is a step of the pass that was carried out and is not finished yet.
type unfinished struct {
	result  int  // index among the results of the pass
	working bool // a list or an answer showed that the cloud works on it.
}

// effect says whether the cloud already shows the result of a step.
type effect int

const (
	unseen   effect = iota // nothing shows the result
	underway               // the cloud works on it
	visible                // the cloud shows the result, or the step failed
	broken                 // the step's object has failed, so the result will never be visible
)

// effectOfAnswer returns the effect that the answers to a step's requests show.
func effectOfAnswer(o outcome) effect {
	switch {
	case o.result.Err != nil || o.result.Step.Action == plan.Detach || o.gone:
		return visible
	case o.result.Step.Action == plan.Update:
		return unseen
	case o.live != nil && canBeUsed(o.live):
		return visible
	}
	return underway
}

// effectOfList returns the effect of a step that a list shows. have is the listed object; it is nil if there is none.
func effectOfList(s plan.Step, have *kind.Live) effect {
	switch {
	case s.Action.Destroys() && (have == nil || have.ID != s.ID()):
		return visible
	case s.Action.Destroys() || have == nil:
		return underway
	case canBeUsed(have):
		return visible
	case have.Phase == kind.Failed:
		return broken
	}
	return underway
}

func canBeUsed(have *kind.Live) bool { return have.Phase.Usable() || have.InUse }

// noteCarriedOut reports a step as finished if its answer shows the result. Otherwise it adds the step to r.unfinished.
// result is its index among the results of the pass.
func (r *run) noteCarriedOut(o outcome, result int) {
	if is := effectOfAnswer(o); is != visible {
		r.unfinished = append(r.unfinished, unfinished{result, is == underway})
		return
	}
	r.engine.watch(func(w Watcher) { w.Finished(r.pass.Results[result]) })
}

// noteFinished reports the steps that a plan shows as finished.
func (r *run) noteFinished(p plan.Plan, now time.Time) {
	if len(r.unfinished) == 0 {
		return
	}
	have := map[string]*kind.Live{}
	for i := range p.Steps {
		have[p.Steps[i].Identity()] = p.Steps[i].Have
	}
	var left []unfinished
	for _, u := range r.unfinished {
		if r.finishes(&u, have, now) {
			r.engine.watch(func(w Watcher) { w.Finished(r.pass.Results[u.result]) })
		} else {
			left = append(left, u)
		}
	}
	r.unfinished = left
}

// finishes records what a list shows about a step. It returns true if the step is finished, or never will be.
func (r *run) finishes(u *unfinished, have map[string]*kind.Live, now time.Time) bool {
	result := &r.pass.Results[u.result]
	s := result.Step
	if r.fresh[s.Key.Kind].stale[s.Key] || firstError(r.snapshot[s.Key.Kind]) != nil {
		return false
	}
	switch effectOfList(s, have[s.Identity()]) {
	case visible:
		if u.working {
			result.Took = now.Sub(result.Started)
		}
	case broken:
		result.Unfinished = true
	case underway, unseen:
		u.working = true
		return false
	}
	return true
}

// reportUnfinished reports the steps that the pass has not seen finished.
func (r *run) reportUnfinished() {
	for _, u := range r.unfinished {
		result := &r.pass.Results[u.result]
		result.Unfinished = true
		r.engine.watch(func(w Watcher) { w.Finished(*result) })
	}
	r.unfinished = nil
}
