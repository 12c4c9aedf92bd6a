package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// maxFailedLists is how often in a row a collection may fail to list before
// the pass gives up on it.
const maxFailedLists = 4

// nextWake tells when the run should look up if no step finishes before, and
// whether there is anything to wait for at all.
func (r *run) nextWake(plan Plan) (at time.Time, more bool) {
	now := time.Now()
	consider := func(t time.Time) {
		if !more || t.Before(at) {
			at, more = t, true
		}
	}
	for kind := range r.moving(plan) {
		consider(r.due(kind))
	}
	for _, s := range plan.Steps {
		t := r.tries[s.id()]
		if t != nil && !t.final && s.Action.Writes() && len(s.Awaits) == 0 && len(s.Blockers) == 0 && t.notUntil.After(now) {
			consider(t.notUntil)
		}
	}
	return at, more
}

// moving names the collections that must be listed again: something in them
// was written, is being worked on by the cloud, or they could not be seen.
func (r *run) moving(plan Plan) map[string]bool {
	kinds := map[string]bool{}
	for kind, s := range r.seen {
		if len(s.stale) > 0 {
			kinds[kind] = true
		}
	}
	defer r.giveUp(kinds)
	now := time.Now()
	for _, s := range plan.Steps {
		if s.have == nil || s.Action != Wait {
			delete(r.pending, s.Key)
			continue
		}
		if r.stuck[s.Key] != nil {
			continue
		}
		since, ok := r.pending[s.Key]
		if !ok {
			r.pending[s.Key], since = now, now
		}
		if now.Sub(since) > r.timing.Pending {
			r.stuck[s.Key] = fmt.Errorf("the cloud has been working on it for more than %s (%s); look at the cloud's own log for %s", r.timing.Pending, s.Reason, s.ShownID())
			continue
		}
		kinds[s.Key.Kind] = true
	}
	for kind, c := range r.snapshot {
		if c.Err != nil {
			kinds[kind] = true
		}
	}
	return kinds
}

// giveUp leaves out the collections that could not be listed too often, or
// never will be.
func (r *run) giveUp(kinds map[string]bool) {
	for kind := range kinds {
		if c := r.snapshot[kind]; c.Err != nil && (!retriable(c.Err) || r.sight(kind).tries >= maxFailedLists) {
			delete(kinds, kind)
		}
	}
}

func (r *run) due(kind string) time.Time {
	s := r.sight(kind)
	return s.at.Add(s.every)
}

// sleep waits for a step to finish, for the time to look, or for the end.
// Results that have come in together are taken in together.
func (r *run) sleep(ctx context.Context, wake time.Time) {
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
func (r *run) refresh(ctx context.Context, plan Plan) {
	if ctx.Err() != nil {
		return
	}
	now := time.Now()
	var names []string
	for kind := range r.moving(plan) {
		if !r.due(kind).After(now) {
			names = append(names, kind)
		}
	}
	r.list(ctx, names)
}

// verify lists what was written and not listed since, so that the pass ends
// with what the cloud says and not with what was asked of it. It returns false
// when there was nothing to verify.
func (r *run) verify(ctx context.Context) bool {
	var names []string
	for kind, s := range r.seen {
		if s.touched {
			names = append(names, kind)
		}
	}
	r.list(ctx, names)
	return len(names) > 0
}

func (r *run) list(ctx context.Context, names []string) {
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	started := time.Now()
	fresh := r.engine.observe(ctx, names)
	for _, kind := range names {
		r.took(kind, fresh[kind], time.Since(started))
	}
}

// took stores a fresh list. Collections that are slow to list, or do not
// change, are listed less often.
func (r *run) took(kind string, c Collection, took time.Duration) {
	s := r.sight(kind)
	s.at, s.touched = time.Now(), false
	s.every = min(max(s.every*3/2, 3*took), max(r.timing.PollMax, 3*took))
	if c.Err != nil {
		s.tries++
		s.every = r.timing.Backoff << s.tries
	} else {
		s.tries = 0
		clear(s.stale)
	}
	r.snapshot[kind] = c
}

func (r *run) observedAll() {
	now := time.Now()
	for kind := range r.snapshot {
		r.sight(kind).at = now
	}
}

// report tells the watcher how far the pass has come.
func (r *run) report(plan Plan) {
	if r.engine.Watcher == nil {
		return
	}
	p := Progress{Done: r.pass.Writes()}
	for _, a := range r.doing {
		p.Doing = append(p.Doing, a)
	}
	left := 0
	for _, s := range plan.Steps {
		switch {
		case s.Action.Writes():
			left++
		case s.Action == Wait && !r.pending[s.Key].IsZero():
			p.Waiting = append(p.Waiting, Activity{Step: s, Since: r.pending[s.Key]})
		}
	}
	oldest := func(a, b Activity) int {
		return cmp.Or(a.Since.Compare(b.Since), a.Step.Key.Compare(b.Step.Key))
	}
	slices.SortFunc(p.Doing, oldest)
	slices.SortFunc(p.Waiting, oldest)
	p.Total = p.Done + left
	r.engine.Watcher.Progress(p)
}
