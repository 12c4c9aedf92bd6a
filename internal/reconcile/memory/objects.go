package memory

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// creation is an object that the cloud has just created.
type creation struct {
	kind, id string
	at       time.Time
	unmade   bool // it most likely does not exist yet, see [kind.Live]
}

// behind is how far lists may lag behind the cloud's answers.
const behind = 2 * time.Second

// NoteMade records a creation that was answered.
func (m *Memory) NoteMade(s *plan.Step, made *kind.Live, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	put(&m.created, s.Identity(), creation{s.Key.Kind, made.ID, now, made.Uncertain})
	put(&m.made, s.Identity(), made.ID)
}

// NoteDestroying records that an object is about to be deleted. It does not count as missing, whatever the result of the request.
func (m *Memory) NoteDestroying(s *plan.Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.ids, s.Identity())
	if id := s.Key.String(); m.created[id].id == s.ID() {
		delete(m.created, id)
	}
}

// MissOverdue marks created objects as gone that should be in lists by now and are not. listed returns when the newest list of a
// kind began; the zero time where that list failed.
func (m *Memory) MissOverdue(listed func(kind string) time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, made := range m.created {
		if made.at.Add(behind).Before(listed(made.kind)) {
			delete(m.created, id)
			if !made.unmade {
				put(&m.ids, id, made.id)
			}
		}
	}
}

// Round is what is known when a plan is made.
type Round struct {
	Now    time.Time
	Listed func(kind string) time.Time // when the newest list of a kind began; the zero time where that failed.
	Busy   func(id string) bool        // whether the pass is changing the object of a step, or has deleted it.
}

// NotePlan takes in what a plan shows.
func (m *Memory) NotePlan(p plan.Plan, at Round) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.patients, m.seen = p.Patients(m.patients, at.Now), p.Seen
	m.adopted = map[string]bool{}
	for i := range p.Steps {
		s := &p.Steps[i]
		m.noteID(s, at)
		m.noteAdopted(s)
		m.noteUsable(s)
	}
}

// noteID records the ID of a step's object, for the time when the object is gone (see [world.Past]). An object that the pass itself
// deletes does not count as missing. Only a mark says that an object belongs to the stack. An object that is not managed, or would be
// adopted, is not remembered: it would be taken for an object of the stack that has lost its mark.
func (m *Memory) noteID(s *plan.Step, at Round) {
	id, have := s.Identity(), s.Have
	if s.Unmanaged() {
		delete(m.ids, id)
		return
	}
	if have == nil || s.Want == nil || s.Surplus || have.Phase == kind.Deleting || have.Uncertain || have.Mark == nil || s.Adopts {
		return
	}
	if !at.Busy(id) && !m.begun[s.Key].goes && m.arrived(id, s.ID(), at.Listed(s.Key.Kind)) {
		put(&m.ids, id, have.ID)
	}
}

// arrived drops a creation whose result the list shows. It returns false if the creation was answered after the list began. It also returns
// false if the list lags behind and shows an earlier object.
func (m *Memory) arrived(id, object string, listed time.Time) bool {
	if made, ok := m.created[id]; ok && (made.at.After(listed) || made.id != object) {
		return false
	}
	delete(m.unanswered, id)
	delete(m.created, id)
	return true
}

// noteAdopted records an object that a manifest asks to adopt, and that bears its mark.
func (m *Memory) noteAdopted(s *plan.Step) {
	if s.Want != nil && s.Want.Import != nil && s.Have != nil && s.Have.Mark != nil && !s.Adopts && !s.Surplus {
		m.adopted[s.Identity()] = true
	}
}

// Adopted reports whether the object of a step was already adopted, according to the newest plan.
func (m *Memory) Adopted(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.adopted[id]
}

// noteUsable forgets an object that this process has created, once it can be used or no longer exists.
func (m *Memory) noteUsable(s *plan.Step) {
	if have := s.Have; have != nil && !s.Surplus && (have.ID != m.made[s.Identity()] || have.Phase.Usable() || have.InUse) {
		delete(m.made, s.Identity())
	}
}
