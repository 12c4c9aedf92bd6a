package report

import "github.com/stackreeve/stackreeve/internal/reconcile/plan"

// The states of a stack, in words.
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

// StackState is how a stack is, and why.
type StackState struct{ State, Message string }

// planState is how a stack is by what a pass has left to do.
func planState(p *plan.Plan) StackState {
	differ := Plural(p.Differing(), "object") + " not as in Git"
	switch {
	case p.Held != "":
		return StackState{StateHeld, p.Held}
	case p.Suspended != "":
		return StackState{StateSuspended, p.Suspended}
	case p.Summary().Drifted > 0:
		return StackState{StateDrifted, differ}
	case !p.InSync():
		return StackState{StateDiffers, differ}
	}
	return StackState{State: StateInSync}
}

// StateAfter is how a stack is after a run.
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
		return StackState{StateUnknown, "the cloud was not looked at"}
	}
	left := planState(&pass.Last)
	switch {
	case left.State == StateHeld || left.State == StateSuspended:
	case pass.Interrupted: // what it failed at then says nothing of the cloud
		return StackState{StateInterrupted, string(pass.Superseded)}
	case len(pass.Failures) > 0:
		return StackState{StateFailed, pass.Failures[0].Reason}
	}
	return left
}
