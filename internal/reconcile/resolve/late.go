package resolve

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Some references can be carried out after both objects are there: an object is
// made without them, and changed when their target is ready. A kind says so with
// the tag `ref:"Kind,late"`. Only those that a circle is closed by are late; all
// others are waited for, since one request is better than two.

// loosen leaves late those references that are in a circle.
func (r *resolver) loosen() {
	if !slices.ContainsFunc(r.order, func(n *node) bool { return slices.ContainsFunc(n.Refs, isLate) }) {
		return
	}
	at := make(map[manifest.Key]int, len(r.order))
	for i, n := range r.order {
		at[n.Key] = i
	}
	circle := Components(len(r.order), func(i int) (next []int) {
		for _, ref := range r.order[i].Refs {
			if j, ok := at[ref.Key]; ok {
				next = append(next, j)
			}
		}
		return next
	})
	for i, n := range r.order {
		for k := range n.Refs {
			ref := &n.Refs[k]
			j, ok := at[ref.Key]
			ref.Late = ref.Late && ok && circle[i] == circle[j]
		}
	}
}

func isLate(ref kind.RefSpec) bool { return ref.Late }
