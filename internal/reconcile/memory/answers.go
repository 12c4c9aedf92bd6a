package memory

import (
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

// Place is a kind in an entry of clouds.yaml. The objects of the kind are listed and written with that entry. Entry is "" for the main
// entry.
type Place struct{ Kind, Entry string }

// Finding is the result of the last list of a place.
type Finding struct {
	Owns bool // the stack owns an object in this place, or may own one although the cloud refuses the list
	At   time.Time
	// Refused is the reason why the place may not be listed, if the stack most likely owns nothing there; nil if it may.
	Refused error
}

// Found returns the result of the last list of a place; false if no result is stored.
func (m *Memory) Found(at Place) (f Finding, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, known = m.found[at]
	return f, known
}

// AllFound returns the results of all places.
func (m *Memory) AllFound() map[Place]Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.found)
}

// NoteFound records the result of the list of a place.
func (m *Memory) NoteFound(at Place, f Finding) {
	m.mu.Lock()
	defer m.mu.Unlock()
	set(&m.found, at, f)
}

type traceOf struct {
	what  checksum.Sum // the difference that the trace explains
	trace kind.Trace
}

// Trace returns the cloud's answer about who caused the difference of a step; nil if the cloud was not asked.
func (m *Memory) Trace(s plan.Step) *kind.Trace {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.traces[s.Identity()]; ok && known.what == s.Difference() {
		return &known.trace
	}
	return nil
}

// NoteTrace records the cloud's answer about who caused the difference of a step.
func (m *Memory) NoteTrace(s plan.Step, trace kind.Trace) {
	m.mu.Lock()
	defer m.mu.Unlock()
	set(&m.traces, s.Identity(), traceOf{s.Difference(), trace})
}

// freshPreflight is the time for which the findings about a plan can be shown. The time matters because a plan that waits for an approval
// is made again at each poll.
const freshPreflight = 5 * time.Minute

// checked contains the last findings about a plan.
type checked struct {
	hash     string
	at       time.Time
	findings preflight.Findings
}

// Preflight returns the findings about a plan with that hash. It returns false if there are none, or if they are too old.
func (m *Memory) Preflight(hash string, now time.Time) (findings preflight.Findings, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.preflight.findings, m.preflight.hash == hash && now.Sub(m.preflight.at) < freshPreflight
}

// NotePreflight records the findings about a plan.
func (m *Memory) NotePreflight(hash string, now time.Time, findings preflight.Findings) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.preflight = checked{hash, now, findings}
}
