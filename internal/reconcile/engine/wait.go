package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
)

// maxFailedLists is the number of failed lists in a row after which the pass does not list a collection again.
const maxFailedLists = 5

// nextWake returns when the run should wake up if no step finishes before.
// more is false if there is nothing to wait for.
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
// - An object of the collection was written.
// - The cloud is working on an object of the collection.
// - An object is to be deleted, and the last list is too old for that.
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
	if len(c.Parts) == 0 {
		return c.Err
	}
	for _, part := range c.Parts {
		if part.Err != nil && !part.Closed && !part.Refused && (first == nil || !retriable(first)) {
			first = part.Err
		}
	}
	return first
}

func (r *run) listDue(kind string) time.Time {
	s := r.fresh[kind]
	return s.at.Add(s.listInterval)
}

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
		r.finish(o)
	case <-alarm:
	case <-ended:
	}
	for {
		select {
		case o := <-r.done:
			r.finish(o)
		default:
			return
		}
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
	r.relist(ctx, names)
}

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
	r.relist(ctx, names)
	return len(names) > 0
}

// hostedKinds returns the kinds that are hosted on objects that the pass has written, and that were not listed since.
func (r *run) hostedKinds() (names []string) {
	for _, k := range r.engine.Kinds {
		of := k.Info
		_, known := r.snapshot[of.Kind]
		older := func(kind string) bool {
			outside := r.fresh[kind]
			return outside != nil && len(outside.writtenEntries) > 0 && (outside.touched || r.fresh[of.Kind].at.Before(outside.at))
		}
		if known && slices.ContainsFunc(of.HostedOn, older) {
			names = append(names, of.Kind)
		}
	}
	return names
}

func (r *run) relist(ctx context.Context, names []string) {
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
	shown := r.engine.observe(ctx, places, r.rev.Want, r.snapshot, kind.Listing{})
	fresh, ended := r.engine.snapshot(shown, r.snapshot, r.rev.Want), time.Now()
	for _, kind := range names {
		c, listed := fresh[kind]
		if !listed {
			c = r.snapshot[kind] // none of its places has to be listed
		}
		r.storeList(kind, c, started, ended)
	}
}

// storeList stores a new list of a collection, and sets the time of the next one. Collections that are slow to list, or
// do not change, are listed less often. Collections that were listed together get the same times.
func (r *run) storeList(kind string, c kind.Collection, began, ended time.Time) {
	s, took := r.fresh[kind], ended.Sub(began)
	s.at, s.began, s.touched = ended, began, false
	s.listInterval = min(max(s.listInterval*3/2, 3*took), max(r.timing.PollMax, 3*took))
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

func (r *run) observedAll() {
	now := time.Now()
	for kind, c := range r.snapshot {
		s := r.fresh[kind]
		if s.at, s.began = now, r.pass.Started; firstError(c) != nil {
			r.noteUnlisted(s, firstError(c))
		}
	}
}
