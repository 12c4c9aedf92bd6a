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

// probe is one of the probes of a member.
type probe struct {
	member manifest.Key
	at     int
}

// searched is what the history was searched for: what a group is to be instead of what has that digest.
type searched struct {
	group  manifest.Key
	digest string
}

// Probed is what one of the probes of a member has found out.
func (m *Memory) Probed(member manifest.Key, at int) rollout.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.probed[probe{member, at}]
}

// NoteAnswer records what an incarnation of a member has answered to one of its probes.
func (m *Memory) NoteAnswer(member manifest.Key, at int, of string, now time.Time, answer error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := probe{member, at}
	put(&m.probed, p, m.probed[p].Asked(of, now, answer))
}

// NoteHealed remembers that something was done about a member, or tried.
func (m *Memory) NoteHealed(s *plan.Step, now time.Time) {
	member, ok := s.Heals()
	if !ok {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.patients[member]
	p.Healed = append(slices.Clip(p.Healed), now)
	maps.DeleteFunc(m.probed, func(at probe, _ rollout.Record) bool { return at.member == member }) // what it answered before
	put(&m.patients, member, p)
	m.news = true
}

// Searched reports whether it was decided already what a group can go back to.
func (m *Memory) Searched(f plan.Failing) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.searched[searched{f.Group, f.Digest}]
}

// NoteSearched records what a group goes back to; nothing where that has no commit.
func (m *Memory) NoteSearched(f plan.Failing, to plan.Fallback) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if put(&m.searched, searched{f.Group, f.Digest}, true); to.Commit != "" {
		put(&m.fallbacks, f.Group, to)
	}
}

// With adds to what a revision wants what groups are kept at.
func (m *Memory) With(want []kind.Desired) []kind.Desired {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := slices.Clip(want)
	for _, f := range m.fallbacks {
		all = append(all, f.Want...)
	}
	return all
}
