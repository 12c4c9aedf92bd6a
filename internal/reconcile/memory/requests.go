package memory

import (
	"context"
	"errors"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// begun is what is known of the last request about an object. An object that was begun differs by the stack's own doing, whatever its mark
// says. A pass writes the mark last: before that it may end, and the branch may go back.
type begun struct {
	until time.Time // when lists may not show what comes of it; zero where that does not matter
	goes  bool      // whether it deletes the object
}

// NoteBegun records that a step was started which changes these objects, or has them follow.
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

// NoteDeleted records that the cloud has taken a deletion.
func (m *Memory) NoteDeleted(s *plan.Step, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.goesOn(s, now.Add(behind))
}

// NoteFailure records a step that failed, if the cloud may go on with it: it did not answer, or the request was cut off with its
// pass. A creation is not asked for again until lists have been asked for what came of it.
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

// goesOn records until when lists may not show what comes of a step.
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

// Unshown is until when lists may not show what comes of an earlier creation of the object of a step, by this process or, where others
// count, by one that was killed; zero for at no time.
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

// NoteFormer records until when the cloud may go on with what a killed process asked for, once.
func (m *Memory) NoteFormer(until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.former.IsZero() {
		m.former = until
	}
}
