package world

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// WaitsItsTurn reports whether changes are such that a group may leave a member without them: they interrupt what works, or a
// commit has it lose something, such as a disk.
func (w *World) WaitsItsTurn(s *plan.Step) bool {
	if s.Have == nil || !s.Have.Phase.Usable() || s.Healing {
		return false
	}
	loses := slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Loss != "" })
	return plan.Worst(s.Changes) >= kind.Reboot || loses && !w.Applied(s.Want, s.Have.Mark)
}
