package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// relistWritten lists the collections that were written and not listed since. So the pass ends with the state that the
// cloud reports, and not with the state that was requested. It returns false if there was no collection to list.
func (r *run) relistWritten(ctx context.Context) bool {
	var names []string
	for kind, s := range r.fresh {
		if s.touched {
			names = append(names, kind)
		}
	}
	names = append(names, r.hostedKinds()...)
	if len(names) == 0 {
		return false
	}
	r.round.plan, r.round.queue = plan.Plan{}, nil // nothing is left to start, and the next plan follows the lists
	r.relist(ctx, names, true)
	return true
}

// hostedKinds returns the kinds that are hosted on objects that the pass has written, and that were not listed since.
func (r *run) hostedKinds() (names []string) {
	for _, k := range r.engine.Kinds {
		of := k.Info
		c, known := r.snapshot[of.Kind]
		older := func(kind string) bool {
			outside := r.fresh[kind]
			return outside != nil && len(outside.writtenEntries) > 0 && (outside.touched || r.fresh[of.Kind].at.Before(outside.at))
		}
		if known && !c.Refused && slices.ContainsFunc(of.HostedOn, older) {
			names = append(names, of.Kind)
		}
	}
	return names
}

// relist lists collections. If whole is false, it leaves out requests that are useless before the cloud has finished its work (see waitingFor).
func (r *run) relist(ctx context.Context, names []string, whole bool) {
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	started := time.Now()
	var places []memory.Place
	asked := namedPlaces(r.rev.Want)
	for _, kind := range names {
		places = append(places, r.engine.placesOf(kind, r.snapshot[kind], asked, r.fresh[kind].writtenEntries)...)
	}
	var waiting map[memory.Place]kind.Waiting
	if !whole {
		waiting = r.waitingFor(places, started)
	}
	shown := r.engine.observe(ctx, places, r.rev.Want, r.snapshot, request{waiting: waiting})
	fresh, ended := r.engine.snapshot(shown, r.snapshot, r.rev.Want), time.Now()
	for _, kind := range names {
		c, listed := fresh[kind]
		if !listed && isAwaited(waiting, kind) {
			r.noteStillPending(kind, started, ended)
			continue
		}
		if !listed {
			c = r.snapshot[kind] // none of its places has to be listed
		}
		r.storeList(kind, c, started, ended)
	}
}

// storeList stores a new list of a collection, and sets the time of the next one. Collections that were listed together get the same times.
func (r *run) storeList(kind string, c kind.Collection, began, ended time.Time) {
	s, took := r.fresh[kind], ended.Sub(began)
	s.at, s.began, s.asked, s.touched, s.deletes = ended, began, ended, false, false
	r.slowDown(kind, took)
	if err := firstError(c); err != nil {
		r.noteUnlisted(s, err)
	} else {
		s.failures = 0
		clear(s.stale)
	}
	r.snapshot[kind] = c
	delete(r.changed, kind)
	r.listsUnplanned = true
}

// slowDown sets the time until the next list of a collection. Collections that are slow to list, or do not change, are listed less often.
func (r *run) slowDown(kind string, took time.Duration) {
	s := r.fresh[kind]
	s.took = took
	s.listInterval = min(max(s.listInterval*3/2, r.poll(kind), 3*took), max(r.timing.PollMax, 3*took))
}

// noteUnlisted records a list that has failed. A service may ask for a pause that is longer than the pass waits for busy
// objects ([Timing] has that limit). Then the pass does not list the collection again.
func (r *run) noteUnlisted(s *freshness, err error) {
	s.failures++
	s.listInterval = r.pause(s.failures)
	var later *kind.RetryAfterError
	if !errors.As(err, &later) {
		return
	}
	if s.listInterval = max(s.listInterval, later.After); later.After > r.timing.BusyWait {
		s.failures = maxFailedLists
	}
}

// listSkipped lists the places that the pass has skipped as long as there was nothing to do.
func (r *run) listSkipped(ctx context.Context) {
	began := time.Now()
	fresh := r.engine.observePlaces(ctx, r.rev, r.skipped, r.snapshot)
	r.skipped = nil
	maps.Copy(r.snapshot, fresh)
	r.observed(fresh, began)
}

// observed records that collections were listed. began is when the lists began.
func (r *run) observed(lists kind.Snapshot, began time.Time) {
	now := time.Now()
	for kind, c := range lists {
		s := r.fresh[kind]
		if s.at, s.began, s.asked = now, began, now; firstError(c) != nil {
			r.noteUnlisted(s, firstError(c))
		}
	}
}
