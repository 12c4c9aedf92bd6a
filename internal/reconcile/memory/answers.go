package memory

import (
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

// Place is where objects of a kind are listed and written: an entry of clouds.yaml, "" for the main one.
type Place struct{ Kind, Entry string }

// Finding is what the last list of a place said.
type Finding struct {
	Owns bool // an object of the stack's
	At   time.Time
	// Refused is why it may not be listed; nil where it may.
	Refused error
}

// Found is what the last list of a place said; known is false where that is not remembered.
func (m *Memory) Found(at Place) (f Finding, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, known = m.found[at]
	return f, known
}

// AllFound is that of every place.
func (m *Memory) AllFound() map[Place]Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.found)
}

// NoteFound records what the list of a place said.
func (m *Memory) NoteFound(at Place, f Finding) {
	m.mu.Lock()
	defer m.mu.Unlock()
	put(&m.found, at, f)
}

type traceOf struct {
	what  checksum.Sum // the difference that it is of
	trace kind.Trace
}

// Trace is what the cloud has said of who made the difference of a step; nil when it was not asked.
func (m *Memory) Trace(s plan.Step) *kind.Trace {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.traces[s.Identity()]; ok && known.what == s.Difference() {
		return &known.trace
	}
	return nil
}

// NoteTrace records what the cloud has said.
func (m *Memory) NoteTrace(s plan.Step, trace kind.Trace) {
	m.mu.Lock()
	defer m.mu.Unlock()
	put(&m.traces, s.Identity(), traceOf{s.Difference(), trace})
}

// freshPreflight is how long what was found out of a plan is shown with it: one that waits for an approval is made again at each poll.
const freshPreflight = 5 * time.Minute

// checked is what was last found out of a plan.
type checked struct {
	hash string
	at   time.Time
	said preflight.Findings
}

// Preflight is what was found out of a plan a short while ago.
func (m *Memory) Preflight(hash string, now time.Time) (said preflight.Findings, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.preflight.said, m.preflight.hash == hash && now.Sub(m.preflight.at) < freshPreflight
}

// NotePreflight records what was found out of a plan.
func (m *Memory) NotePreflight(hash string, now time.Time, said preflight.Findings) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.preflight = checked{hash, now, said}
}
