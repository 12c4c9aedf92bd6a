package status

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// State is the state of an object in one or two words. If several of the states below are true for the object, [subject.state] decides.
// A kind can add a word for an object that is down, such as "stopped".
type State string

// These are the states. In their comments, "it" is the object.
const (
	StateUnknown   State = "unknown"             // the cloud could not be asked.
	StateRefused   State = "refused"             // nothing is done until a person decides.
	StateHeld      State = "held"                // there is a step for it, but the whole plan is held.
	StateDiffers   State = "suspended (differs)" // it is suspended, and differs from its manifest.
	StateSuspended State = "suspended"           // it is suspended, and matches its manifest as far as the agent can see.
	StateFailed    State = "failed"              // it is broken in the cloud, its step failed, or a person must change the manifest.
	StateWaiting   State = "waiting"             // something else must happen first: see Status.WaitsFor.
	StateDrifted   State = "drifted"             // no commit explains the difference; it is corrected, or only reported
	StateCreate    State = "to create"
	StateChange    State = "to change"
	StateReplace   State = "to replace"
	StateDelete    State = "to delete"
	StateDetach    State = "to detach" // it is no longer in the repository, and will be let go.
	StateDegraded  State = "degraded"  // it can be used, but the cloud reports a problem with it, or with a part of it.
	StateOutdated  State = "outdated"  // it is a member of a group, and the group's strategy does not change it now.
	StateKept      State = "kept"      // it is no longer in the repository, and stays in the cloud
	StateInSync    State = "in sync"
)

// worstStates contains the states in the order for summaries, the worst first.
var worstStates = []State{StateRefused, StateFailed, StateUnknown, StateHeld, StateWaiting, StateDrifted, StateReplace, StateDelete,
	StateCreate, StateChange, StateDetach, StateDegraded, StateDiffers, StateSuspended, StateOutdated, StateKept, StateInSync}

// gravity returns the place of a state among all states: the lower, the worse. A kind's own word for an object that is down is as bad as a
// failure.
func (s State) gravity() int {
	if at := slices.Index(worstStates, s); at >= 0 {
		return at
	}
	return slices.Index(worstStates, StateFailed)
}

// Fine reports whether an object in this state needs no attention.
func (s State) Fine() bool {
	return s == StateInSync || s == StateSuspended || s == StateOutdated || s == StateKept
}

// halt contains the reasons why no step of a plan is carried out.
type halt struct {
	held      bool // until somebody approves the plan
	suspended bool // the whole stack is suspended
}

// state returns the state of a step's object.
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
	return s.unchangedState()
}

// stateOfAction contains the state of an object by the action of its step, if nothing else is wrong.
var stateOfAction = map[plan.Action]State{
	plan.Create: StateCreate, plan.Update: StateChange, plan.Recreate: StateReplace, plan.Delete: StateDelete, plan.Detach: StateDetach,
}

// suspension returns the state of an object that is suspended, or that was a part of a suspended object.
func (s subject) suspension() State {
	if s.have == nil || s.want == nil || len(s.uncounted) > 0 || s.have.Phase == kind.Failed || s.have.Phase == kind.Deleting {
		return StateDiffers
	}
	return StateSuspended
}

// unchangedState returns the state of an object that the plan does not change.
func (s subject) unchangedState() State {
	switch {
	case s.have != nil && s.have.Down != "":
		return State(s.have.Down)
	case s.have != nil && (s.have.Phase == kind.Degraded || s.have.Message != "" || s.problems != problems{}):
		return StateDegraded
	case s.want == nil && s.have != nil && s.Action == plan.Keep:
		return StateKept
	}
	return StateInSync
}
