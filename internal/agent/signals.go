package agent

import (
	"sync"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// Signals start runs of a loop. A sender needs only this value, and not the loop.
type Signals struct {
	wake, check chan struct{}          // wake: there may be a new commit. check: run a pass even without one.
	look        chan struct{}          // the cloud may have changed: moved says where.
	now         chan engine.Superseded // run now, without waiting for the pass in progress.

	mu    sync.Mutex
	moved *engine.Moved // the pending looks; nil if there is none
}

// NewSignals returns signals of which none is pending.
func NewSignals() *Signals {
	return &Signals{wake: make(chan struct{}, 1), check: make(chan struct{}, 1), look: make(chan struct{}, 1), now: make(chan engine.Superseded, 1)}
}

// Wake signals that there may be a new commit.
func (s *Signals) Wake() { signal(s.wake) }

// Check requests a check of the cloud after the pass in progress, even without a new commit.
func (s *Signals) Check() { signal(s.check) }

// Look requests a look at the cloud after the pass in progress, because something may have changed there. A pass of the last commit follows if the
// change concerns the stack, or if that is not known. Nothing is fetched for it: there may be many such requests, and they say nothing about the
// source.
func (s *Signals) Look(moved engine.Moved) {
	s.mu.Lock()
	s.moved = s.moved.And(moved)
	s.mu.Unlock()
	signal(s.look)
}

// takeMoved returns where the cloud may have changed since the last call. pending is false if there was no look since then: the signal belongs to a
// look that was taken already.
func (s *Signals) takeMoved() (moved engine.Moved, pending bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.moved != nil {
		moved, pending, s.moved = *s.moved, true, nil
	}
	return moved, pending
}

// moving reports whether a look is pending.
func (s *Signals) moving() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved != nil
}

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
