package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Harm says what a step destroys when it is carried out: its object, data in it, or a setting that users depend on. harms is false when it
// destroys nothing. Upkeep does no harm, because people agreed to it with the manifest that requests it.
func (s Step) Harm() (d kind.Disruption, harms bool) {
	if d = s.Disruption(); s.Action == Update && !s.IsUpkeep && slices.ContainsFunc(s.Changes, s.harmful) {
		d = max(d, kind.Rebuild) // a part of the object is lost although the object stays
	}
	return d, d >= kind.Rebuild && !s.Surplus && !s.Spare
}

// harmful reports whether a change destroys data, or removes a setting that users depend on. A setting that a person added by hand does not
// count, because nobody depends on it yet. Neither does a setting that the cloud added to an object that [Step.HalfMade]
// reports as half-made.
func (s Step) harmful(c kind.Change) bool {
	return c.Destroys || c.Cuts != "" && !c.Unfinished && !s.Drift && !s.HalfMade()
}

// HalfMade reports whether the object has the stack's mark, and the mark does not yet say that the manifest was applied.
func (s Step) HalfMade() bool {
	return s.Have != nil && s.Have.Mark != nil && (s.Have.Mark.Applied == kind.HalfMade || s.Have.Mark.Applied == kind.Unfinished)
}

// CutsOnly reports whether the step only interrupts users who depend on the object, and destroys nothing in the object.
func (s Step) CutsOnly() bool {
	return s.Disruption() < kind.Rebuild && !slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Destroys })
}

// LosesData reports whether the step writes and loses data that exists nowhere else.
func (s Step) LosesData() bool { return s.DataAtStake && s.Action.Writes() }
