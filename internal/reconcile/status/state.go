package status

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// State is the state of an object in a word or two: the first of these that is true of it. A kind
// can add a word for an object that is down, such as "stopped".
type State string

// The states, in the order in which they are decided.
const (
	StateUnknown   State = "unknown"             // the cloud could not be asked.
	StateRefused   State = "refused"             // not done until a person decides.
	StateHeld      State = "held"                // would be done, but the whole plan is held.
	StateDiffers   State = "suspended (differs)" // suspended, and differs from its manifest.
	StateSuspended State = "suspended"           // suspended, and matches its manifest as far as can be seen.
	StateFailed    State = "failed"              // broken in the cloud, its step failed, or a person must change the manifest.
	StateWaiting   State = "waiting"             // something else must happen first: see Status.WaitsFor
	StateDrifted   State = "drifted"             // no commit explains the difference; undone or only reported
	StateCreate    State = "to create"
	StateChange    State = "to change"
	StateReplace   State = "to replace"
	StateDelete    State = "to delete"
	StateDetach    State = "to detach" // no longer in the repository, and will be let go.
	StateDegraded  State = "degraded"  // usable, but the cloud reports that it, or a part of it, is unwell.
	StateOutdated  State = "outdated"  // a member of a group whose strategy leaves it as it is.
	StateKept      State = "kept"      // no longer in the repository, and left in the cloud
	StateInSync    State = "in sync"
)

// gravest orders states for summaries: the first is the worst.
var gravest = []State{StateRefused, StateFailed, StateUnknown, StateHeld, StateWaiting, StateDrifted, StateReplace, StateDelete,
	StateCreate, StateChange, StateDetach, StateDegraded, StateDiffers, StateSuspended, StateOutdated, StateKept, StateInSync}

// gravity is how bad a state is: the lower, the worse. A kind's own word for an object that is down
// is as bad as a failure.
func (s State) gravity() int {
	if at := slices.Index(gravest, s); at >= 0 {
		return at
	}
	return slices.Index(gravest, StateFailed)
}

// Fine reports whether an object in this state needs no attention.
func (s State) Fine() bool {
	return s == StateInSync || s == StateSuspended || s == StateOutdated || s == StateKept
}

// halt says why no step of a plan is carried out.
type halt struct {
	held      bool // until somebody approves it
	suspended bool // the whole stack is suspended
}

// state is the state of a step's object.
func (s subject) state(h halt, waitsFor string) State {
	switch {
	case s.Action == plan.Wait && s.Error && s.obstacle == "":
		return StateUnknown
	case s.Action == plan.Refuse:
		return StateRefused
	case s.Action.Writes() && h.suspended:
		return StateDiffers
	case s.Action.Writes() && h.held:
		return StateHeld
	case s.suspended:
		return s.suspension()
	case s.outdated:
		return StateOutdated
	case s.Error, s.fault.Text != "", (s.Action == plan.Recreate || s.Action == plan.Keep) && s.broken():
		return StateFailed
	case s.Drift || s.Reported():
		return StateDrifted
	case waitsFor != "":
		return StateWaiting
	}
	if state, ok := stateOfAction[s.Action]; ok {
		return state
	}
	return s.asIs()
}

// stateOfAction is the state of an object with such a step, if nothing else is wrong.
var stateOfAction = map[plan.Action]State{
	plan.Create: StateCreate, plan.Update: StateChange, plan.Recreate: StateReplace, plan.Delete: StateDelete, plan.Detach: StateDetach,
}

// suspension is the state of an object that is suspended, or was a part of a suspended one.
func (s subject) suspension() State {
	if s.have == nil || s.want == nil || len(s.aside) > 0 || s.have.Phase == kind.Failed || s.have.Phase == kind.Deleting {
		return StateDiffers
	}
	return StateSuspended
}

// asIs is the state of an object that the plan does not change.
func (s subject) asIs() State {
	switch {
	case s.have != nil && s.have.Down != "":
		return State(s.have.Down)
	case s.have != nil && (s.have.Phase == kind.Degraded || s.have.Message != "" || s.ails != ails{}):
		return StateDegraded
	case s.want == nil && s.have != nil && s.Action == plan.Keep:
		return StateKept
	}
	return StateInSync
}
