package plan

import (
	"slices"
)

// Outcome is how a pass, or a plan, ends, and the exit code that says so.
type Outcome int

// The outcomes, with the exit codes of the outside contract.
const (
	InSync    Outcome = 0
	Broken    Outcome = 1
	OutOfSync Outcome = 2
	Invalid   Outcome = 3
)

// String is one word or two for people.
func (o Outcome) String() string {
	return [...]string{"in sync", "failed", "differences remain", "refused input"}[o]
}

// Outcome returns what the plan means when nothing more is done about it.
func (p Plan) Outcome() Outcome {
	switch {
	case len(p.Unlisted) > 0 || len(p.Fallbacks) > 0 || slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Error }):
		return Broken
	case p.InSync():
		return InSync
	default:
		return OutOfSync
	}
}
