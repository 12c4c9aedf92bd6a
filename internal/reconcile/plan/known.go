package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Known are the changes of a step without, of an adoption, what the cloud does not show: that is only written down, and nothing changes
// by it.
func (s Step) Known() []kind.Change {
	if !s.Adopts {
		return s.Changes
	}
	return slices.DeleteFunc(slices.Clone(s.Changes), func(c kind.Change) bool { return c.Have == kind.Unknown })
}

// OnlyNoted reports whether an adoption leaves the object as it is: only its mark is added.
func (s Step) OnlyNoted() bool {
	return s.Adopts && s.Action == Update && !slices.ContainsFunc(s.Known(), func(c kind.Change) bool { return c.Field != kind.MarkField })
}
