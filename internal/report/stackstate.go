package report

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// These are the states of a stack.
const (
	StateInSync      = "in sync"
	StateHeld        = "held"
	StateSuspended   = "suspended"
	StateDrifted     = "drifted"
	StateDiffers     = "differs"
	StateFailed      = "failed"
	StateRefused     = "refused"
	StateInterrupted = "interrupted"
	StateUnknown     = "unknown"
)

// These are the first words of a stack's state while a pass changes something. The progress follows them, see [StateDuring].
const (
	StateRollingOut = "rolling out"
	StateApplying   = "applying"
)

// StackState is the state of a stack, and the reason.
type StackState struct{ State, Message string }

// planState returns the state of a stack from the plan that a pass has not yet carried out.
func planState(p *plan.Plan) StackState {
	differ := Differ(p.Differing())
	switch {
	case p.Held != nil:
		return StackState{StateHeld, p.Held.String()}
	case p.Suspended != "":
		return StackState{StateSuspended, p.Suspended}
	case p.Summary().Drifted > 0:
		return StackState{StateDrifted, differ}
	case !p.InSync():
		return StackState{StateDiffers, differ}
	}
	return StackState{State: StateInSync}
}

// failures returns the first failure, and the number of further failures.
func failures(list []engine.Failure) string {
	text := list[0].String()
	if more := len(list) - 1; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// Differ says how many objects differ from Git.
func Differ(n int) string {
	if n == 1 {
		return "1 object differs from Git"
	}
	return Plural(n, "object") + " differ from Git"
}

// StateAfter returns the state of a stack after a run.
func StateAfter(run *Run) StackState {
	pass := run.Pass
	switch {
	case run.Refused != nil:
		return StackState{StateRefused, run.Refused.Reason()}
	case run.Err != nil:
		return StackState{StateFailed, run.Err.Error()}
	case run.FetchErr != nil:
		return StackState{StateFailed, run.FetchErr.Error()}
	case pass == nil:
		return StackState{StateUnknown, "the cloud was not listed"}
	}
	left := planState(&pass.Last)
	switch {
	case left.State == StateHeld || left.State == StateSuspended:
	case pass.Interrupted: // the failures of an interrupted pass do not describe the cloud
		return StackState{StateInterrupted, string(pass.Superseded)}
	case len(pass.Failures) > 0:
		return StackState{StateFailed, failures(pass.Failures)}
	}
	return left
}
