package resolve

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Some references can be set after both objects exist. Then an object is created without the reference, and updated when the target is
// ready. A kind allows this with the tag `ref:"Kind,late"`. A reference is set late only if it closes a circle. For all others, the planner
// waits for the target, since one request is better than two.

// markLateReferences marks references as not late, unless they are part of a circle.
func (r *resolver) markLateReferences() {
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
