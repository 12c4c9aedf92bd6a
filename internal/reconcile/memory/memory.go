// Package memory holds the past of one stack: everything that is known beyond the cloud's present lists and the commit. There is one
// Memory for a stack, which outlives passes and logins. The code that connects the stack owns it, and the engine writes it. The planner
// gets a copy ([Memory.Past]).
//
// It is a package of its own, beside the engine: a program that only reads or prints the file of another process runs nothing. The
// package knows plans. It knows no cloud, no request and no clock, and it decides nothing about what it knows.
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

// Memory is what is known of a stack's past. The zero value knows nothing. The comment of each field says who writes it. [Memory.Forget]
// and the types of [Over] say when it is forgotten. The table in docs/decisions/0046-the-past-has-one-home.md says what a restart reads
// back.
type Memory struct {
	mu sync.Mutex

	where string // the project and region of the memory; "" where they are unknown

	// ids are the IDs of objects that bear the stack's mark, by step. Each plan writes them ([Memory.NotePlan]). A step that deletes an
	// object removes its ID before the request.
	ids map[string]string
	// made are the IDs of objects that this process has created and has not seen usable since, by step. The answer to a creation writes it.
	made map[string]string
	// created are objects that were just created and are in no list so far, by step. The answer to a creation writes it.
	created map[string]creation
	// unanswered is until when the cloud may continue creations that it has not answered, by step. Their failure writes it.
	unanswered map[string]time.Time
	// begun are objects that passes have begun to change, or that refer to such an object, until lists show them up to date. The start of a step
	// writes it.
	begun map[manifest.Key]begun
	// adopted are the steps whose objects bear their mark although their manifests ask to adopt them. Each plan replaces it.
	adopted map[string]bool
	// former is until when the cloud may continue requests of a killed process. The first pass writes it.
	former time.Time

	// probed is what probes have found out about members of groups. Their answers write it.
	probed map[probe]rollout.Record
	// patients are members that did not serve when they were last looked at, or were healed since. Each plan replaces it.
	patients map[manifest.Key]rollout.Patient
	// seen is what the newest plan has found out about members. Each plan replaces it.
	seen plan.Seen
	// fallbacks are the groups that went back, searched the groups for which that was decided. The end of a pass writes both.
	fallbacks map[manifest.Key]plan.Fallback
	searched  map[searched]bool

	// found are the results of the last lists of places that are not listed at each pass. The first lists of a pass write it.
	found map[Place]Finding
	// traces are the cloud's answers about who caused the present differences, by step. The cloud is asked once about each.
	traces map[string]traceOf
	// preflight holds the findings about the plan that was shown last.
	preflight checked

	file // keeps a part of the memory for the next process
}

// Past returns the part that a plan needs: a copy that later changes do not affect.
func (m *Memory) Past() world.Past {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := make(map[manifest.Key]bool, len(m.begun))
	for key := range m.begun {
		keys[key] = true
	}
	return world.Past{
		KnownIDs: maps.Clone(m.ids), Made: maps.Clone(m.made), Begun: keys,
		Patients: maps.Clone(m.patients), Seen: m.seen, Fallbacks: maps.Clone(m.fallbacks),
	}
}

// put sets a value in a map, and creates the map if needed.
func put[K comparable, V any](in *map[K]V, key K, value V) {
	if *in == nil {
		*in = map[K]V{}
	}
	(*in)[key] = value
}
