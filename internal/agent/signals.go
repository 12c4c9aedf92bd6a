package agent

import "github.com/stackreeve/stackreeve/internal/reconcile/engine"

// Signals start runs of a loop. A sender needs only this value, and not the loop.
type Signals struct {
	wake, check chan struct{}          // wake: there may be a new commit. check: run a pass even without one.
	look        chan struct{}          // run a pass of the last commit, because the cloud may have changed.
	now         chan engine.Superseded // run now, without waiting for the pass in progress.
}

// NewSignals returns signals of which none is pending.
func NewSignals() *Signals {
	return &Signals{wake: make(chan struct{}, 1), check: make(chan struct{}, 1), look: make(chan struct{}, 1), now: make(chan engine.Superseded, 1)}
}

// Wake signals that there may be a new commit.
func (s *Signals) Wake() { signal(s.wake) }

// Check requests a check of the cloud after the pass in progress, even without a new commit.
func (s *Signals) Check() { signal(s.check) }

// Look requests a check of the cloud after the pass in progress, because something may have changed there. Nothing is fetched for it: there may
// be many such requests, and they say nothing about the source.
func (s *Signals) Look() { signal(s.look) }

// ReconcileNow starts a run because a person has requested it. A pass in progress gives way, and a pause
// after failures ends.
func (s *Signals) ReconcileNow() { s.interrupt("a request to reconcile") }

// interrupt requests a run now. A pass in progress gives way, and by is the reason that it reports.
func (s *Signals) interrupt(by engine.Superseded) {
	select {
	case s.now <- by:
	default: // a request is pending already
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a signal is pending already
	}
}

func drain(c <-chan struct{}) {
	select {
	case <-c:
	default:
	}
}
