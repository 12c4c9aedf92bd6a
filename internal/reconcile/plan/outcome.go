package plan

import (
	"slices"
)

// Outcome is the result of a pass or a plan, and its exit code.
type Outcome int

// The outcomes, with the exit codes of the outside contract.
const (
	InSync    Outcome = 0
	Broken    Outcome = 1
	OutOfSync Outcome = 2
	Invalid   Outcome = 3
)

// String describes the outcome for people in one or two words.
func (o Outcome) String() string {
	return [...]string{"in sync", "failed", "differences remain", "refused input"}[o]
}

// Outcome returns the result of the plan if nothing more is done about it.
func (p Plan) Outcome() Outcome {
	switch {
	case p.Limit != nil && len(p.Limit.Missing) > 0,
		len(p.Unlisted) > 0 || len(p.Fallbacks) > 0 || slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Error }):
		return Broken
	case p.InSync():
		return InSync
	default:
		return OutOfSync
	}
}
