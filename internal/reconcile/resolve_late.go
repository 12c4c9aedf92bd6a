package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
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
	circle := components(len(r.order), func(i int) (next []int) {
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

func isLate(ref RefSpec) bool { return ref.Late }

// foresee finds what the targets of late references are in the cloud, which are
// decided about after what refers to them.
func (p *planner) foresee() {
	for i := range p.Want {
		for _, ref := range p.Want[i].Refs {
			d := p.byKey[ref.Key]
			if !ref.Late || d == nil || d.Virtual || d.Unmanaged || p.live[ref.Key] != nil {
				continue
			}
			if c, known := p.Have[d.Key.Kind]; !known || c.Err != nil {
				continue
			}
			if have := p.settle(d).have; have != nil && have.Phase != Deleting {
				p.live[d.Key] = have
				p.ready[d.Key] = have.Phase == Ready || have.Phase == Degraded
			}
		}
	}
}

// withoutLate says which late references an object will be made without; "" for
// none.
func (p *planner) withoutLate(d *Desired) string {
	var keys []manifest.Key
	for _, ref := range d.Refs {
		if ref.Late && !p.ready[ref.Key] && !slices.Contains(keys, ref.Key) {
			keys = append(keys, ref.Key)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return "without what refers to " + listed(keys) + "; that follows"
}

// listed names keys for people, the first few of many.
func listed(keys []manifest.Key) string {
	const most = 3
	var b strings.Builder
	for i, key := range keys {
		switch {
		case i == most:
			fmt.Fprintf(&b, " and %d more", len(keys)-most)
			return b.String()
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(key.String())
	}
	return b.String()
}
