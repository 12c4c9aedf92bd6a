package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Harm is what a step that is carried out destroys: its object, or its data.
// harms is false when it destroys nothing. What time makes due was agreed to with the manifest
// that says so.
func (s Step) Harm() (d kind.Disruption, harms bool) {
	if d = s.Disruption(); s.Action == Update && !s.Tends && d < kind.Rebuild && slices.ContainsFunc(s.Changes, s.harmful) {
		d = kind.Rebuild // what it loses is lost in place
	}
	return d, d >= kind.Rebuild && !s.Surplus && !s.Spare
}

// harmful reports whether a change destroys something. Nobody depends yet on what somebody has put into the cloud by hand, or on what the
// cloud gave an object whose creation is not finished.
func (s Step) harmful(c kind.Change) bool {
	return c.Destroys || c.Cuts != "" && !c.Unfinished && !s.Drift && !s.halfMade()
}

// halfMade reports whether the object bears the stack's mark, which does not say yet that all was applied.
func (s Step) halfMade() bool {
	return s.Have != nil && s.Have.Mark != nil && (s.Have.Mark.Applied == "" || s.Have.Mark.Applied == kind.Unfinished)
}

// CutsOnly reports whether all that is destroyed is what depends on the object.
func (s Step) CutsOnly() bool {
	return s.Disruption() < kind.Rebuild && !slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Destroys })
}

// LosesData is true of a step that loses data which is nowhere else.
func (s Step) LosesData() bool { return s.DataAtStake && s.Action.Writes() }
