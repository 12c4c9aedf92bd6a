package agent

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
)

// How long a stack rests after a pass that failed: it doubles with every
// failure in a row, and half of it is left to chance.
const (
	firstRest = 5 * time.Second
	longRest  = 5 * time.Minute
)

// Serve runs every stack until ctx ends. A stack that fails stops no other.
func Serve(ctx context.Context, stacks []*Loop) {
	var all sync.WaitGroup
	for _, s := range stacks {
		all.Go(func() { s.Serve(ctx) })
	}
	all.Wait()
}

// Serve runs at once, then whenever a schedule or [Loop.Wake] says so, until
// ctx ends and what was in flight has ended, too, or until Leave is closed. A pass in progress gives way to
// a newer commit; a check that comes meanwhile is one more run afterwards.
func (s *Loop) Serve(ctx context.Context) {
	checks := s.signals().check
	s.recall(true)
	ctx, end := context.WithCancel(ctx)
	var clocks sync.WaitGroup
	clocks.Go(func() { schedule.Run(ctx, s.Poll, s.Poll.Jitter(time.Now()), s.Wake) })
	clocks.Go(func() { schedule.Run(ctx, s.DriftCheck, s.DriftCheck.Jitter(time.Now()), s.Check) })
	defer clocks.Wait()
	defer end() // before the clocks are waited for

	r := rest{}
	for always := true; ctx.Err() == nil && !s.leaves(); {
		run, said := s.runOnce(ctx, always)
		if said && !CutOff(ctx, run) {
			s.saw(run)
			s.Standing.saw(run)
			s.Report(run)
		}
		superseded := run.Pass != nil && run.Pass.Superseded != ""
		if !superseded && (run.Pass != nil || run.Err != nil || run.Refused != nil) {
			r.after(run, time.Now())
		}
		if superseded || s.news != nil {
			always = superseded
			continue
		}
		always = s.next(ctx, checks, &r)
	}
}

// leaves reports whether serving is to end between two passes.
func (s *Loop) leaves() bool {
	select {
	case <-s.Leave: // never, where it is nil
		return true
	default:
		return false
	}
}

// CutOff reports whether a run came to no pass because its context has ended. That
// says nothing about the source, the manifests or the cloud, so no sink receives it.
func CutOff(ctx context.Context, run report.Run) bool { return ctx.Err() != nil && run.Err != nil }

// Wake says that there may be a new commit.
func (s *Loop) Wake() { signal(s.signals().wake) }

// Check says that the cloud is to be checked, new commit or not, once the pass
// in progress has ended.
func (s *Loop) Check() { signal(s.signals().check) }

// Now says that a person wants to have it reconciled: a pass in progress gives way,
// and a pause after failures ends.
func (s *Loop) Now() { s.interrupt("a request to reconcile") }

// signals have a loop run: wake for a new commit, check without one, now at once.
type signals struct {
	once        sync.Once
	wake, check chan struct{}
	now         chan engine.Superseded
}

func (s *Loop) signals() *signals {
	s.hints.once.Do(func() {
		s.hints.wake, s.hints.check, s.hints.now = make(chan struct{}, 1), make(chan struct{}, 1), make(chan engine.Superseded, 1)
	})
	return &s.hints
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // one is waiting already
	}
}

// interrupt has the stack reconciled now; by is what a pass in progress gives way to.
func (s *Loop) interrupt(by engine.Superseded) {
	select {
	case s.signals().now <- by:
	default: // one is waiting already
	}
}

func drain(c <-chan struct{}) {
	select {
	case <-c:
	default:
	}
}

// next waits for the next reason to run. always is false when a run without
// a new commit is not worth a pass.
func (s *Loop) next(ctx context.Context, checks <-chan struct{}, r *rest) (always bool) {
	var again <-chan time.Time
	if !r.until.IsZero() {
		timer := time.NewTimer(time.Until(r.until))
		defer timer.Stop()
		again = timer.C
		// While it rests only a new commit is worth a run; checks that come
		// meanwhile are over with the rest.
		defer drain(checks)
		checks = nil
	}
	upkeep, stop := s.upkeep(r)
	defer stop()
	select {
	case <-ctx.Done():
		return false
	case <-s.Leave:
		return false
	case <-s.signals().wake:
		return false
	case <-checks:
		return true
	case <-upkeep:
		s.due = time.Time{}
		return true
	case asked := <-s.signals().now:
		return asked != "" // it says by what a pass would be superseded
	case <-again:
		r.until = time.Time{}
		return true
	}
}

// mostLate is how much later than it is due the upkeep of objects may come, so that what many stacks do is
// spread out.
const mostLate = 20 * time.Second

// upkeep says when the upkeep of an object is due; never while the stack rests, since a pass follows that.
func (s *Loop) upkeep(r *rest) (due <-chan time.Time, stop func()) {
	if s.due.IsZero() || !r.until.IsZero() {
		return nil, func() {}
	}
	timer := time.NewTimer(time.Until(s.due) + rand.N(mostLate))
	return timer.C, func() { timer.Stop() }
}

// rest is the pause after failures, and before what a pass has left to the next one.
type rest struct {
	failures int       // in a row, or passes that left something
	until    time.Time // zero when there is no need to rest
}

func (r *rest) after(run report.Run, now time.Time) {
	if left := run.Pass != nil && run.Pass.Left; run.Outcome() != plan.Broken && !left {
		*r = rest{}
		return
	}
	r.failures++
	r.until = now.Add(backoff.Spread(backoff.Pause(firstRest, longRest, r.failures)))
}
