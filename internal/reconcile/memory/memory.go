// Package memory holds the past of one stack: everything that is known beyond what the cloud lists now and what the
// commit says. There is one Memory for a stack, which outlives passes and logins; its owner is whoever connects the stack,
// and the engine writes it. The planner gets a value of it ([Memory.Past]).
//
// It is a room of its own, beside the engine and not in it: what reads the file of another process, or prints it, runs nothing. It knows
// plans. It knows no cloud, no request and no clock, and what to do about anything that it knows is decided elsewhere.
package memory

import (
	"maps"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Memory is what is known of a stack's past. The zero value knows nothing. Each field says who writes it; when it is forgotten
// is in [Memory.Forget] and the types of [Over]. The table in docs/decisions/0046-the-past-has-one-home.md says what a restart reads back.
type Memory struct {
	mu sync.Mutex

	where string // the project and region that all of it is about; "" where that is not known

	// ids are the IDs of objects that bear the stack's mark, by step. Each plan writes them ([Memory.NotePlan]); a step that deletes one
	// takes it out before its request.
	ids map[string]string
	// made are the IDs of objects that this process has made and has not seen usable since, by step. The answer to a creation writes it.
	made map[string]string
	// created are objects that were made a moment ago and are in no list so far, by step. The answer to a creation writes it.
	created map[string]creation
	// unanswered is until when the cloud may go on with creations that it has not answered, by step. Their failure writes it.
	unanswered map[string]time.Time
	// begun are the objects that passes have begun to change, or that refer to one, and have not seen as wanted since. The start of a step writes it.
	begun map[manifest.Key]begun
	// adopted are the steps whose objects bear their mark although their manifests ask to adopt them. Each plan writes it anew.
	adopted map[string]bool
	// former is until when the cloud may go on with what a killed process asked for. The first pass writes it.
	former time.Time

	// probed is what probes have found out of members of groups. Their answers write it.
	probed map[probe]rollout.Record
	// patients are members that did not serve when they were last looked at, or were healed since. Each plan writes it anew.
	patients map[manifest.Key]rollout.Patient
	// seen is what the newest plan has found out of members. Each plan writes it anew.
	seen plan.Seen
	// fallbacks are the groups that went back, searched those for which that was decided. The end of a pass writes both.
	fallbacks map[manifest.Key]plan.Fallback
	searched  map[searched]bool

	// found is what the last list of a place said that is not listed at each pass. The first lists of a pass write it.
	found map[Place]Finding
	// traces are what the cloud has said of who made the differences that there still are, by step: it is asked once of each.
	traces map[string]traceOf
	// preflight is what was found out of the plan that was shown last.
	preflight checked

	file // which keeps a part of it for the next process
}

// Past is what a plan has to know of it: a value, which later news do not change.
func (m *Memory) Past() world.Past {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := make(map[manifest.Key]bool, len(m.begun))
	for key := range m.begun {
		keys[key] = true
	}
	return world.Past{
		Lost: maps.Clone(m.ids), Made: maps.Clone(m.made), Begun: keys,
		Patients: maps.Clone(m.patients), Seen: m.seen, Fallbacks: maps.Clone(m.fallbacks),
	}
}

// put sets a value in a map that is made when it is first needed.
func put[K comparable, V any](in *map[K]V, key K, value V) {
	if *in == nil {
		*in = map[K]V{}
	}
	(*in)[key] = value
}
