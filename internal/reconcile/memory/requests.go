package memory

import (
	"context"
	"errors"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// begun is what is known of the last request about an object. A pass writes the mark last, and may end before that; the branch may then
// go back. So an object that was begun differs because of the stack itself, whatever its mark says.
type begun struct {
	until time.Time // until when lists may not show the result; zero where that does not matter
	goes  bool      // whether the request deletes the object
}

// NoteBegun records that a step was started that changes these objects, or makes them follow a change.
func (m *Memory) NoteBegun(keys []manifest.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range keys {
		if _, known := m.begun[key]; !known {
			put(&m.begun, key, begun{})
			m.news = true
		}
	}
}

// NoteDeleted records that the cloud has accepted a deletion.
func (m *Memory) NoteDeleted(s *plan.Step, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.goesOn(s, now.Add(behind))
}

// NoteFailure records a step that failed, if the cloud may continue it: it did not answer, or the request was cut off with its
// pass. A creation is not requested again before lists were asked for its result.
func (m *Memory) NoteFailure(s *plan.Step, err error, until time.Time) {
	if !errors.Is(err, kind.ErrUnanswered) && !errors.Is(err, context.Canceled) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.goesOn(s, until)
	if s.Action == plan.Create {
		put(&m.unanswered, s.Identity(), until)
		m.news = true
	}
}

// goesOn records until when lists may not show the result of a step.
func (m *Memory) goesOn(s *plan.Step, until time.Time) {
	o, known := m.begun[s.Key]
	if !known || s.Surplus {
		return
	}
	if until.After(o.until) {
		o.until = until
	}
	o.goes = o.goes || s.Action.Destroys()
	m.begun[s.Key], m.news = o, true
}

// Unshown returns until when lists may not show an object that was created before, by this process or, if others is true, by a killed
// one. It is zero if no such creation is known.
func (m *Memory) Unshown(id string, others bool) (until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if others {
		until = m.former
	}
	if late := m.unanswered[id]; late.After(until) {
		until = late
	}
	if made, ok := m.created[id]; ok && made.at.Add(behind).After(until) {
		until = made.at.Add(behind)
	}
	return until
}

// NoteFormer records until when the cloud may continue requests of a killed process. Only the first call counts.
func (m *Memory) NoteFormer(until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.former.IsZero() {
		m.former = until
	}
}
