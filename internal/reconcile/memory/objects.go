package memory

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// creation is an object that the cloud has just created.
type creation struct {
	kind, id  string
	at        time.Time
	uncertain bool // the object most likely does not exist yet, see [kind.Live]
}

// listDelay is the longest time that lists need to show what the cloud has answered.
const listDelay = 2 * time.Second

// NoteMade records a creation that the cloud has answered.
func (m *Memory) NoteMade(s *plan.Step, made *kind.Live, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	set(&m.created, s.Identity(), creation{s.Key.Kind, made.ID, now, made.Uncertain})
	set(&m.made, s.Identity(), made.ID)
}

// NoteDestroying records that an object is about to be deleted. From now on the object does not count as missing, no matter how the request
// ends.
func (m *Memory) NoteDestroying(s *plan.Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.knownIDs, s.Identity())
	if id := s.Key.String(); m.created[id].id == s.ID() {
		delete(m.created, id)
	}
}

// NoteCreatedAndGone looks for created objects that should be in lists by now but are not, and records their IDs, so that the next plan
// shows that they are gone. listed returns the time when the newest list of a kind began; zero if that list failed.
func (m *Memory) NoteCreatedAndGone(listed func(kind string) time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, made := range m.created {
		if made.at.Add(listDelay).Before(listed(made.kind)) {
			delete(m.created, id)
			if !made.uncertain {
				set(&m.knownIDs, id, made.id)
			}
		}
	}
}

// Round contains facts about the moment at which a plan is made.
type Round struct {
	Now    time.Time
	Listed func(kind string) time.Time // time when the newest list of a kind began; zero if that list failed.
	Busy   func(id string) bool        // whether the pass is changing the object of a step, or has deleted it.
}

// NotePlan updates the memory from a plan.
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

// noteID records the ID of a step's object, for the time when the object is gone (see [world.Past]). It does not record an object that the
// pass itself deletes, because that object does not count as missing. It does not record an object that is not managed, or that would be
// adopted, either. Such an object has no mark of the stack, and would be mistaken for one that has lost its mark.
func (m *Memory) noteID(s *plan.Step, at Round) {
	id, have := s.Identity(), s.Have
	if s.Unmanaged() {
		delete(m.knownIDs, id)
		return
	}
	if have == nil || s.Want == nil || s.Surplus || have.Phase == kind.Deleting || have.Uncertain || have.Mark == nil || s.Adopts {
		return
	}
	if !at.Busy(id) && !m.begun[s.Key].deletes && m.arrived(id, s.ID(), at.Listed(s.Key.Kind)) {
		set(&m.knownIDs, id, have.ID)
	}
}

// arrived drops a creation whose result the list shows. It returns false if the creation was answered after the list began, or if the list
// is late and shows an earlier object.
func (m *Memory) arrived(id, object string, listed time.Time) bool {
	if made, ok := m.created[id]; ok && (made.at.After(listed) || made.id != object) {
		return false
	}
	delete(m.unanswered, id)
	delete(m.created, id)
	return true
}

// noteAdopted records an object that has its mark, if its manifest asks to adopt it.
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

// noteUsable drops the ID of an object that this process has created, once the object can be used, is in use, or was replaced by another one.
func (m *Memory) noteUsable(s *plan.Step) {
	if have := s.Have; have != nil && !s.Surplus && (have.ID != m.made[s.Identity()] || have.Phase.Usable() || have.InUse) {
		delete(m.made, s.Identity())
	}
}
