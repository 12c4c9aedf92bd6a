package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// follows reports whether an object differs in a field because the target of the field's reference has changed.
//
// A difference is drift if the wanted value equals the value that was last applied. The value of a reference is the ID of its target. If
// the target got another ID since, or does not exist yet, the wanted value changes although the manifest has not changed:
//
//	what the reference names            why the object differs
//	----------------------------------  ---------------------------------------------
//	another import than was applied     the commit changed it: the digest of its mark differs
//	a target that does not exist, or    the target has changed
//	that gets a new ID
//	a target that is newer than the     the target has changed: nobody has written the object since
//	last change of the object
//	any other target                    the commit changed it, or it is drift
func (p *planner) follows(d *kind.Desired, have *kind.Live, c kind.Change) bool {
	return slices.ContainsFunc(d.Refs, func(ref kind.RefSpec) bool {
		if ref.Order || !kind.Within(ref.Field, c.Field) && !kind.Within(c.Field, ref.Field) {
			return false
		}
		target := p.ByKey[ref.Key]
		live := p.found.Live[target]
		switch {
		case target == nil || target.Virtual:
			return false
		case live == nil || p.found.GetsNewID[ref.Key]:
			return true
		}
		return !target.Unmanaged && !have.Updated.IsZero() && live.Created.After(have.Updated)
	})
}
