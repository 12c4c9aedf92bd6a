// Package memory contains the past of one stack: the knowledge that is neither in the cloud's present lists nor in the commit. There is one
// Memory for a stack, which outlives passes and logins. The code that connects the stack owns it, and the engine writes it. The planner
// gets a copy ([Memory.Past]).
//
// The package is separate from the engine, so that a program can read or print the file of another process without the engine. It uses
// plans. It does not use the cloud, requests or a clock, and it decides nothing.
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

// Memory is the knowledge about a stack's past. The zero value is empty. The comment of each field says when it is written. [Memory.Forget]
// and the types of [Event] say when it is dropped. The table in docs/decisions/0046-the-past-has-one-home.md says what a restart reads back.
type Memory struct {
	mu sync.Mutex

	where string // the project and region that the memory is about; "" if they are unknown
	login string // the user of the lists in found, with its roles; "" if they are unknown
	// restored is true if found comes from the file of an earlier process. It is false from the first login on.
	restored bool

	// knownIDs are the IDs of objects that have the stack's mark, by step. Each plan writes them ([Memory.NotePlan]). The start of a round
	// adds created objects that lists should contain and do not ([Memory.NoteCreatedAndGone]). A step that deletes an object removes its
	// ID before the request.
	knownIDs map[string]string
	// made are the IDs of objects that this process has created and that were neither usable nor in use in any list since, by step. The answer to a
	// creation writes it.
	made map[string]string
	// created are new objects that no list contains so far, by step. The answer to a creation writes it.
	created map[string]creation
	// unanswered is, by step, the time until which the cloud may still carry out a creation that it has not answered. A failed creation
	// writes it.
	unanswered map[string]time.Time
	// begun are objects that passes have begun to change, and objects that refer to them. An object is removed once lists show it as up to date.
	// The start of a step writes it.
	begun map[manifest.Key]begun
	// adopted are the steps whose manifests ask to adopt an object that has their mark already. Each plan replaces it.
	adopted map[string]bool
	// killedUntil is the time until which the cloud may still carry out requests of a killed process. The first pass writes it.
	killedUntil time.Time

	// probed contains the results of probes of members of groups. The answers to probes write it.
	probed map[probe]rollout.Record
	// patients are members that did not serve when they were last checked, and members that were healed since. Each plan replaces it, and each
	// healing adds to it.
	patients map[manifest.Key]rollout.Patient
	// seen contains the facts about members in the newest plan. Each plan replaces it.
	seen plan.Seen
	// fallbacks are the groups that went back, and searched are the searches that decided about that. The end of a pass writes both, and so does
	// its start for groups whose marks say that they went back.
	fallbacks map[manifest.Key]plan.Fallback
	searched  map[searched]bool

	// found contains the results of the last lists of places. The lists before the first change of a pass write it, and looks that find an
	// object.
	found map[Place]Finding
	// sights are how places looked at the end of the last pass. The end of a pass writes it, and the start of one drops it.
	sights map[Place]Sight
	// building is how long the cloud usually works on a new object, by kind. It is set in the round in which such an object
	// becomes ready.
	building map[string]time.Duration
	// traces are the cloud's answers about who caused the present differences, by step. For each difference, the cloud is asked once.
	traces map[string]traceOf
	// preflight contains the findings about the plan that was shown last.
	preflight checked

	file // stores a part of the memory for the next process
}

// Past returns a copy of the part that a plan needs. Later changes of the memory do not affect it.
func (m *Memory) Past() world.Past {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := make(map[manifest.Key]bool, len(m.begun))
	for key := range m.begun {
		keys[key] = true
	}
	return world.Past{
		KnownIDs: maps.Clone(m.knownIDs), Made: maps.Clone(m.made), Begun: keys,
		Patients: maps.Clone(m.patients), Seen: m.seen, Fallbacks: maps.Clone(m.fallbacks),
	}
}

// set sets a value in a map, and creates the map if needed.
func set[K comparable, V any](in *map[K]V, key K, value V) {
	if *in == nil {
		*in = map[K]V{}
	}
	(*in)[key] = value
}
