package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// follows reports whether an object differs in a field because of the object that the field refers to.
//
// A difference is drift where the wanted value equals the value that was last applied. The value of a reference is an object. If that object got
// another ID since, or does not exist yet, the value is another one although the manifest says the same:
//
//	what the reference names            why the object differs
//	----------------------------------  ---------------------------------------------
//	another import than was applied     by the commit: the digest of its mark differs
//	does not exist, or gets a new ID    it follows
//	was made after its last change      it follows: nobody has written it since
//	anything else                       by the commit, or it is drift
func (p *planner) follows(d *kind.Desired, have *kind.Live, c kind.Change) bool {
	return slices.ContainsFunc(d.Refs, func(ref kind.RefSpec) bool {
		if ref.Order || !kind.Within(ref.Field, c.Field) && !kind.Within(c.Field, ref.Field) {
			return false
		}
		target, live := p.ByKey[ref.Key], p.found.Live[ref.Key]
		switch {
		case target == nil || target.Virtual:
			return false
		case live == nil || p.found.Doomed[ref.Key]:
			return true
		}
		return !target.Unmanaged && !have.Updated.IsZero() && live.Created.After(have.Updated)
	})
}
