package agent

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
)

// firstRest is the pause after the first failed pass, and longRest is the longest pause. The pause doubles
// with every failure in a row; half of it is random.
const (
	firstRest = 5 * time.Second
	longRest  = 5 * time.Minute
)

// Serve runs every stack until ctx ends. The failure of a stack does not stop the others.
func Serve(ctx context.Context, stacks []*Loop) {
	var all sync.WaitGroup
	for _, s := range stacks {
		all.Go(func() { s.Serve(ctx) })
	}
	all.Wait()
}

// Serve makes a run immediately, and whenever next returns, for example at every scheduled time and after every [Signals.Wake]. It returns when ctx
// has ended and the current run has ended too, or when Leave is closed. A pass in progress gives way to a newer commit. A check that becomes due
// during a pass runs after the pass.
func (s *Loop) Serve(ctx context.Context) {
	checks := s.Signals.check
	s.readRecord(true)
	ctx, end := context.WithCancel(ctx)
	var clocks sync.WaitGroup
	clocks.Go(func() { schedule.Run(ctx, s.Poll, s.Poll.Jitter(time.Now()), s.Signals.Wake) })
	clocks.Go(func() { schedule.Run(ctx, s.DriftCheck, s.DriftCheck.Jitter(time.Now()), s.Signals.Check) })
	defer clocks.Wait()
	defer end() // before the deferred wait for the clocks

	defer s.endTurn()
	r := rest{}
	for always := true; ctx.Err() == nil && !s.mustLeave(); {
		run, said := s.runOnce(ctx, always)
		if said && !CutOff(ctx, run) {
			s.storeRun(run)
			if !run.Limited() {
				s.Dependencies.storeRun(run)
			}
			s.Report(run)
		}
		superseded := run.Pass != nil && run.Pass.Superseded != "" || run.Limited() // a pass of all objects follows
		if !superseded && (run.Pass != nil || run.Err != nil || run.Refused != nil) {
			r.after(run, time.Now())
		}
		if superseded || s.fetched != nil {
			always = superseded
			continue
		}
		always = s.next(ctx, checks, &r)
	}
}

// mustLeave reports whether Leave is closed, so that Serve returns instead of starting another run.
func (s *Loop) mustLeave() bool {
	select {
	case <-s.Leave: // a nil channel blocks
		return true
	default:
		return false
	}
}

// CutOff reports whether a run reached no pass because its context has ended. Such a run says nothing about the source, the
// manifests or the cloud, so no sink receives it.
func CutOff(ctx context.Context, run report.Run) bool { return ctx.Err() != nil && run.Err != nil }

// next waits for the next reason to run. always is true if the run must make a pass even without a new
// commit.
func (s *Loop) next(ctx context.Context, checks <-chan struct{}, r *rest) (always bool) {
	var again <-chan time.Time
	looks := s.Signals.look
	var turn <-chan struct{} // of a look
	if !r.until.IsZero() {
		timer := time.NewTimer(time.Until(r.until))
		defer timer.Stop()
		again = timer.C
		// During a rest, checks and looks start no run. Checks that arrive during the rest are dropped when it
		// ends.
		defer drain(checks)
		defer s.Signals.takeMoved()
		checks, looks = nil, nil
		s.endTurn()
	}
	upkeep, stop := s.upkeep(r)
	defer stop()
	for {
		if looks != nil && s.Signals.moving() {
			turn = s.queue()
		}
		select {
		case <-ctx.Done():
			return false
		case <-s.Leave:
			return false
		case <-s.Signals.wake:
			return false
		case <-checks:
			return true
		case <-looks: // queues for a turn
		case <-turn:
			if turn = nil; s.needsNoPass(ctx) {
				s.endTurn()
				continue
			}
			s.onlyLooks = true
			return true
		case <-upkeep:
			s.due = time.Time{}
			return true
		case asked := <-s.Signals.now:
			return asked != "" // the reason is empty if no pass is requested
		case <-again:
			r.until = time.Time{}
			return true
		}
	}
}

// maxUpkeepDelay is the maximum random delay of upkeep that is due. The delay spreads the load of many stacks.
const maxUpkeepDelay = 20 * time.Second

// upkeep returns a timer for the next upkeep of an object. There is none while the stack rests, since a pass follows the rest.
func (s *Loop) upkeep(r *rest) (due <-chan time.Time, stop func()) {
	if s.due.IsZero() || !r.until.IsZero() {
		return nil, func() {}
	}
	timer := time.NewTimer(time.Until(s.due) + rand.N(maxUpkeepDelay))
	return timer.C, func() { timer.Stop() }
}

// rest is the pause after failures, and before a pass that continues with the steps that the last pass left.
type rest struct {
	failures int       // number of failures in a row; a pass that left steps counts as one.
	until    time.Time // zero if there is no rest.
}

func (r *rest) after(run report.Run, now time.Time) {
	if left := run.Pass != nil && run.Pass.LeavesUnforeseen; run.Outcome() != plan.Broken && !left {
		*r = rest{}
		return
	}
	r.failures++
	r.until = now.Add(backoff.Spread(backoff.Pause(firstRest, longRest, r.failures)))
}
