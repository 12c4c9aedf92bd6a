package memory

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// creation is an object that the cloud has just made.
type creation struct {
	kind, id string
	at       time.Time
	unmade   bool // it is not there yet, see [kind.Live]
}

// behind is how far lists may lag behind what the cloud has answered.
const behind = 2 * time.Second

// NoteMade records a creation that was answered.
func (m *Memory) NoteMade(s *plan.Step, made *kind.Live, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	put(&m.created, s.Identity(), creation{s.Key.Kind, made.ID, now, made.Unmade})
	put(&m.made, s.Identity(), made.ID)
}

// NoteDestroying records that an object is to be deleted now: it is not missed, whatever comes of the request.
func (m *Memory) NoteDestroying(s *plan.Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.ids, s.Identity())
	if id := s.Key.String(); m.created[id].id == s.ID() {
		delete(m.created, id)
	}
}

// MissOverdue has what was made, and should be in lists by now, count as gone where it is not. listed is when the newest list of a
// kind was begun; the zero time where that failed.
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
	Listed func(kind string) time.Time // when the newest list of a kind was begun; the zero time where that failed
	Busy   func(id string) bool        // whether the pass is at work on the object of a step, or has deleted it
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

// noteID records what the object of a step is in the cloud, for when it is gone (see [world.Past]). What the pass itself deletes
// is not missed. Only a mark says that an object is the stack's: what is only used, or would be adopted, is not remembered, as it would
// be taken for one that has lost its mark.
func (m *Memory) noteID(s *plan.Step, at Round) {
	id, have := s.Identity(), s.Have
	if s.Unmanaged() {
		delete(m.ids, id)
		return
	}
	if have == nil || s.Want == nil || s.Surplus || have.Phase == kind.Deleting || have.Unmade || have.Mark == nil || s.Adopts {
		return
	}
	if !at.Busy(id) && !m.begun[s.Key].goes && m.arrived(id, s.ID(), at.Listed(s.Key.Kind)) {
		put(&m.ids, id, have.ID)
	}
}

// arrived drops what has come of a creation; it returns false where that was answered since its collection was listed, or a list lags behind and
// shows what was there before.
func (m *Memory) arrived(id, object string, listed time.Time) bool {
	if made, ok := m.created[id]; ok && (made.at.After(listed) || made.id != object) {
		return false
	}
	delete(m.unanswered, id)
	delete(m.created, id)
	return true
}

// noteAdopted remembers an object that a manifest asks to adopt, and that bears its mark.
func (m *Memory) noteAdopted(s *plan.Step) {
	if s.Want != nil && s.Want.Import != nil && s.Have != nil && s.Have.Mark != nil && !s.Adopts && !s.Surplus {
		m.adopted[s.Identity()] = true
	}
}

// Adopted reports whether the object of a step was adopted already, as far as the newest plan shows.
func (m *Memory) Adopted(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.adopted[id]
}

// noteUsable forgets that this process has made what can be used by now, or is no longer there.
func (m *Memory) noteUsable(s *plan.Step) {
	if have := s.Have; have != nil && !s.Surplus && (have.ID != m.made[s.Identity()] || have.Phase.Usable() || have.InUse) {
		delete(m.made, s.Identity())
	}
}
