package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// refersToDropped reports whether an object refers to what a group would have and does not have, since it went back.
func (w given) refersToDropped(d *kind.Desired) bool {
	return slices.ContainsFunc(d.Refs, func(ref kind.RefSpec) bool { return w.Dropped[ref.Key] && w.ByKey[ref.Key] == nil })
}
