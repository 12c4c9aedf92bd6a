package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// maxFailedLists is the number of failed lists in a row after which the pass does not list a collection again.
const maxFailedLists = 5

// maxSettleWait is the longest time that a pass waits for an object that only has to serve for some time. If more time is needed, a later pass
// continues.
const maxSettleWait = time.Hour

// trackPending records which objects the cloud works on, or the pass checks until
// they serve, and since when. An object that takes too long is stuck.
func (r *run) trackPending(now time.Time) {
	r.noteBuilt(now)
	before := r.pending
	r.pending = make(map[string]time.Time, len(before))
	for _, s := range r.round.plan.Steps {
		if s.Have == nil || !s.AwaitsCloud() && !s.Settling() {
			continue
		}
		id := s.Identity()
		since, known := before[id]
		if !known || s.Until().After(now) {
			since = now
		}
		limit, failing := s.Patience()
		limit = cmp.Or(limit, r.timing.PendingWait)
		if !failing.IsZero() {
			since = failing
		}
		r.pending[id] = since
		if r.stuck[s.Key] != nil {
			continue
		}
		if now.Sub(since) > limit {
			if s.Settling() {
				r.stuck[s.Key] = neverServed(s, limit)
				continue
			}
			r.stuck[s.Key] = fmt.Errorf("the cloud has been working on the object for more than %s (%s); check the cloud's own log for %s", r.timing.PendingWait, s.FullCause(), s.ShownID())
			continue
		}
		if until := s.Until(); until.Sub(now) > maxSettleWait {
			continue // a later pass continues
		} else if until.After(now) {
			r.round.settling[s.Key.Kind] = until
		} else {
			r.noteAwaited(&s)
		}
		r.round.waiting = append(r.round.waiting, ActivityOf(&s, since))
	}
	slices.SortFunc(r.round.waiting, oldest)
}

// neverServed returns the error for an object for which other members, or the pass, have waited longer than the limit. The object does not serve, or it
// reports that a member does not serve.
func neverServed(s plan.Step, limit time.Duration) error {
	if whom := s.AwaitedMember(); whom != (manifest.Key{}) {
		return fmt.Errorf("has reported for more than %s that %s does not serve", limit, whom)
	}
	return fmt.Errorf("the member has not served for more than %s; %s", limit, s.Sick)
}

// nextWake returns when the run should wake up if no step finishes before.
// It returns false if there is nothing to wait for.
func (r *run) nextWake() (at time.Time, more bool) {
	consider := func(t time.Time) {
		if !more || t.Before(at) {
			at, more = t, true
		}
	}
	for kind := range r.toBeListed() {
		consider(r.listDue(kind))
	}
	for _, until := range r.round.settling {
		consider(until)
	}
	if len(r.doing) >= r.engine.parallelism() {
		return at, more // a paused step cannot start before a step in flight has ended
	}
	for _, t := range r.round.queue {
		if !t.until.IsZero() {
			consider(t.until)
		}
	}
	return at, more
}

// earlier returns the first of two times. A zero time does not count.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// toBeListed returns the collections that must be listed again, for one of these reasons:
//
// - An object of the collection was written, and its new state is unknown.
// - The cloud is working on an object of the collection, or a probe of a member has to be repeated.
// - The list is too old for a step (see needsRecentList and outdatedHealthKinds).
// - The last list failed.
// - The cloud is working on an object that runs inside an object of the collection.
func (r *run) toBeListed() map[string]bool {
	kinds := maps.Clone(r.round.awaitedKinds)
	for _, k := range r.engine.Kinds {
		of := k.Info
		if !r.round.awaitedKinds[of.Kind] {
			continue
		}
		for _, outside := range of.HostedOn { // an object inside a machine may be missing because its machine is missing
			if _, known := r.snapshot[outside]; known {
				kinds[outside] = true
			}
		}
	}
	maps.Copy(kinds, r.round.outdated)
	for kind, s := range r.fresh {
		if len(s.stale) > 0 {
			kinds[kind] = true
		}
	}
	for kind, c := range r.snapshot {
		if firstError(c) != nil {
			kinds[kind] = true
		}
	}
	maps.DeleteFunc(kinds, func(kind string, _ bool) bool { return r.givenUp(kind) })
	return kinds
}

// givenUp reports whether the pass no longer tries to list a collection, because the list has failed too often or will
// always fail.
func (r *run) givenUp(kind string) bool {
	err := firstError(r.snapshot[kind])
	return err != nil && (!retriable(err) || r.fresh[kind].failures >= maxFailedLists)
}

// firstError returns the error of a part of a collection that could not be listed. An error after which a retry may succeed
// is preferred.
func firstError(c kind.Collection) (first error) {
	if len(c.Parts) == 0 && !c.Refused {
		return c.Err
	}
	for _, part := range c.Parts {
		if part.Err != nil && !part.Closed && !part.Refused && (first == nil || !retriable(first)) {
			first = part.Err
		}
	}
	return first
}

// listDue returns when a collection has to be listed again. As long as other steps run, and none of them waits for the collection, it is listed
// less often.
func (r *run) listDue(kind string) time.Time {
	s := r.fresh[kind]
	interval := s.listInterval
	if (len(r.doing) > 0 || len(r.round.queue) > 0) && r.isOnlyAwaited(kind) && !r.round.isNeeded(kind) {
		interval = max(interval, unneededPolls*r.timing.PollMax)
	}
	return s.asked.Add(interval)
}

// unneededPolls is the shortest interval between lists of a collection that no step waits for, in units of Timing.PollMax.
const unneededPolls = 3

// awaitResults waits for a step to finish, for the time to wake up, or for the end of ctx. It processes all results that
// are ready.
func (r *run) awaitResults(ctx context.Context, wake time.Time) {
	var alarm <-chan time.Time
	if !wake.IsZero() {
		timer := time.NewTimer(time.Until(wake))
		defer timer.Stop()
		alarm = timer.C
	}
	ended := ctx.Done()
	if len(r.doing) > 0 && ctx.Err() != nil {
		ended, alarm = nil, nil
	}
	select {
	case o := <-r.done:
		r.noteOutcome(o)
	case <-alarm:
	case <-ended:
	}
	for {
		select {
		case o := <-r.done:
			r.noteOutcome(o)
		default:
			return
		}
	}
}

// noteOutcome adds the result of a step that was carried out to the state of the run.
func (r *run) noteOutcome(o outcome) {
	delete(r.doing, o.id)
	s := o.result.Step
	o.result.Step = s.Recorded()
	if s.Have != nil {
		have := *s.Have // a copy without what the cloud showed of the object, because a pass may have many results
		have.State, have.OtherViews = nil, nil
		o.result.Step.Have = &have
	}
	r.pass.Results = append(r.pass.Results, o.result)
	r.noteCarriedOut(o, len(r.pass.Results)-1)
	r.engine.past().NoteHealed(&s, time.Now())
	r.answersUnplanned = true
	listed := r.fresh[s.Key.Kind]
	listed.deletes = listed.deletes || s.Action.Destroys() && !o.gone
	listed.listInterval, listed.touched = max(r.poll(s.Key.Kind), 3*listed.took), true
	for _, entry := range o.entries {
		listed.writtenEntries[entry] = true
	}
	if !s.Action.Destroys() && o.result.Err == nil {
		delete(r.destroyed, o.id)
	}
	if o.result.Err != nil {
		r.noteFailure(o.id, s, o.result.Started, o.result.Err)
		listed.stale[s.Key] = true
		return
	}
	r.writeCount++
	r.round.done++
	t := r.ensureHistory(o.id)
	t.err, t.failures, t.busy, t.first = nil, 0, 0, time.Time{}
	t.noteSuccess(s)
	t.noteWays(s)
	if s.Action == plan.Recreate {
		t.why = s.FullCause()
	}
	if s.Action.Destroys() {
		r.lastDeletion = time.Now()
		r.engine.past().NoteDeleted(&s, r.lastDeletion)
	}
	switch {
	case o.gone:
		r.noteChanged(s.Key.Kind, entryObject{s.Entry(), s.ID()}, nil)
	case o.live != nil:
		if s.Action == plan.Create { // a list that is older than the creation may arrive before the next plan
			r.engine.past().NoteMade(&s, o.live, time.Now())
		}
		r.noteChanged(s.Key.Kind, entryObject{o.live.Entry, o.live.ID}, o.live)
	default:
		listed.stale[s.Key] = true
	}
}

// refresh lists the collections that are due.
func (r *run) refresh(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	now := time.Now()
	var names []string
	for kind := range r.toBeListed() {
		if !r.listDue(kind).After(now) {
			names = append(names, kind)
		}
	}
	for kind, until := range r.round.settling {
		if !until.After(now) && !slices.Contains(names, kind) {
			names = append(names, kind)
		}
	}
	r.relist(ctx, names, false)
}
