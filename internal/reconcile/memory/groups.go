package memory

import (
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// probe is one of the probes of a member. at is its index.
type probe struct {
	member manifest.Key
	at     int
}

// searched is a search of the history for the state that a failing group can go back to. digest identifies the failing state.
type searched struct {
	group  manifest.Key
	digest string
}

// Probed returns the results of a probe of a member.
func (m *Memory) Probed(member manifest.Key, at int) rollout.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.probed[probe{member, at}]
}

// NoteAnswer records the answer of a member to one of its probes. The argument of identifies the object that answered (see
// [plan.Probed]).
func (m *Memory) NoteAnswer(member manifest.Key, at int, of string, now time.Time, answer error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := probe{member, at}
	set(&m.probed, p, m.probed[p].Add(of, now, answer))
}

// NoteHealed records that a member was healed, or that this was tried.
func (m *Memory) NoteHealed(s *plan.Step, now time.Time) {
	member, ok := s.Heals()
	if !ok {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.patients[member]
	p.Healed = append(slices.Clip(p.Healed), now)
	maps.DeleteFunc(m.probed, func(at probe, _ rollout.Record) bool { return at.member == member }) // these are answers from before the healing
	set(&m.patients, member, p)
	m.unsaved = true
}

// Searched reports whether the history was already searched for a state that a group can go back to.
func (m *Memory) Searched(f plan.Failing) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.searched[searched{f.Group, f.Digest}]
}

// NoteSearched records the state that a group goes back to. If to has no commit, the group does not go back.
func (m *Memory) NoteSearched(f plan.Failing, to plan.Fallback) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if set(&m.searched, searched{f.Group, f.Digest}, true); to.Commit != "" {
		set(&m.fallbacks, f.Group, to)
	}
}

// WithFallbacks returns the objects of a revision, and in addition the objects of the states that groups went back to.
func (m *Memory) WithFallbacks(want []kind.Desired) []kind.Desired {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := slices.Clip(want)
	for _, f := range m.fallbacks {
		all = append(all, f.Want...)
	}
	return all
}
