package memory

import (
	"context"
	"errors"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// begun contains the facts about the last request for an object. A pass writes the mark last, and it may end before that. Then the branch
// may return to an earlier commit. So if a change of an object was begun, the stack itself has caused its difference, no matter what its
// mark says.
type begun struct {
	until   time.Time // time until which lists may not show the result; zero if that does not matter
	deletes bool      // whether the request deletes the object
}

// NoteBegun records that a step has started. keys are the objects that it changes, and the objects that refer to these and may have to be changed
// because of that.
func (m *Memory) NoteBegun(keys []manifest.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range keys {
		if _, known := m.begun[key]; !known {
			set(&m.begun, key, begun{})
			m.unsaved = true
		}
	}
}

// NoteDeleted records that the cloud has accepted a deletion.
func (m *Memory) NoteDeleted(s *plan.Step, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.noteUnfinished(s, now.Add(listDelay))
}

// NoteFailure records a step that failed, if the cloud may still carry it out; wait is for how long. That is so if the cloud did not answer, or if
// the end of the pass cut the request off. A creation is not requested again until lists have been read to find its result. If the request was not
// even sent, only an earlier request of the same step can have a result. That request was answered, so lists show its result soon.
func (m *Memory) NoteFailure(s *plan.Step, err error, now time.Time, wait time.Duration) {
	unanswered := errors.Is(err, kind.ErrUnanswered)
	if !unanswered && !errors.Is(err, context.Canceled) {
		return
	}
	if !unanswered && errors.Is(err, kind.ErrUnsent) {
		wait = min(wait, listDelay)
	}
	until := now.Add(wait)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.noteUnfinished(s, until)
	if s.Action == plan.Create {
		set(&m.unanswered, s.Identity(), until)
		m.unsaved = true
	}
}

// noteUnfinished records the time until which lists may not show the result of a step.
func (m *Memory) noteUnfinished(s *plan.Step, until time.Time) {
	o, known := m.begun[s.Key]
	if !known || s.Surplus {
		return
	}
	if until.After(o.until) {
		o.until = until
	}
	o.deletes = o.deletes || s.Action.Destroys()
	m.begun[s.Key], m.unsaved = o, true
}

// Begins reports whether the creation or change of an object of a kind was begun, and no list has shown its result.
func (m *Memory) Begins(kind string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, o := range m.begun {
		if key.Kind == kind && !o.deletes {
			return true
		}
	}
	return false
}

// HiddenUntil returns the time until which lists can still lack an object although its creation was requested earlier. This process requested it,
// or, if others is true, perhaps a killed process. The time is zero if no such request is known.
func (m *Memory) HiddenUntil(id string, others bool) (until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if others {
		until = m.killedUntil
	}
	if late := m.unanswered[id]; late.After(until) {
		until = late
	}
	if made, ok := m.created[id]; ok && made.at.Add(listDelay).After(until) {
		until = made.at.Add(listDelay)
	}
	return until
}

// NoteKilled records the time until which the cloud may still carry out requests of a killed process. Only the first call counts.
func (m *Memory) NoteKilled(until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.killedUntil.IsZero() {
		m.killedUntil = until
	}
}
