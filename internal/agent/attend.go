package agent

import (
	"context"
	"errors"
	"sync"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
)

// attend listens for newer commits and for requests while a pass runs. When one of them arrives, attend cancels the returned context with a
// cause of type [engine.Superseded]. stop ends the listening.
func (s *Loop) attend(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	var listening sync.WaitGroup
	listening.Go(func() {
		for ctx.Err() == nil {
			by := s.newer(ctx)
			if by == "" {
				continue
			}
			if cancel(by); supersededBy(ctx) != by && s.fetched == nil {
				s.Signals.interrupt(by) // the pass had already ended
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		listening.Wait()
	}
}

// supersededBy returns the reason why attend canceled a context. It returns "" if attend did not cancel it.
func supersededBy(ctx context.Context) (by engine.Superseded) {
	errors.As(context.Cause(ctx), &by)
	return by
}

// newer waits for a signal or for the end of ctx. It returns the reason why the pass must give way, or "" if there is none. A
// signal that arrives at the same moment as the end of ctx is not lost.
func (s *Loop) newer(ctx context.Context) engine.Superseded {
	select {
	case <-ctx.Done():
		return ""
	case by := <-s.Signals.now:
		if s.control.carriesOut(by) {
			return ""
		}
		return by
	case <-s.Signals.wake:
	}
	rev, changed, err := s.Fetch(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		s.Signals.Wake()
		return ""
	case err != nil || !changed:
		return "" // nothing new; after an error, the next poll fetches again
	}
	s.fetched = &rev
	if sameFiles(rev, s.state.last) {
		return "" // the stack's files are the same, so the revision can wait for the end of the pass
	}
	if _, err := s.verify(ctx, rev); err != nil {
		return "" // a commit that is refused, or that cannot be checked, must not end the pass of another one
	}
	return engine.Superseded("commit " + report.Short(rev.Commit))
}
