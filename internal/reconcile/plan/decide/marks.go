package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// mark is what an object shall bear in the cloud.
func (p *planner) mark(d *kind.Desired) kind.Mark {
	m := d.PlainMark(p.Stack)
	m.Applied, m.Refused, m.Loses = p.InMark(d), p.refused(d), p.remembersLoss(d)
	if p.learned.Drains[d.Key] || p.refersToDropped(d) {
		m.Applied = kind.Unfinished // so that it is no drift, then or afterwards
	}
	return m
}

// renewed reports whether two marks say the same in different forms. Marks of versions
// that took no marks off do not say that the object shall be detached.
func (p *planner) renewed(d *kind.Desired, have *kind.Mark) bool {
	want := p.mark(d)
	return have != nil && have.Owner == want.Owner && have.Keep == want.Keep && p.Applied(d, have) &&
		(have.Detach == want.Detach && (have.Applied != want.Applied || have.Refused != want.Refused) || want.Detach && !have.Detach)
}

// refused is what the group of an object went back from, where the object is the one that remembers it.
func (w given) refused(d *kind.Desired) string {
	for _, f := range w.Fallbacks {
		if f.Noted == d.Key {
			return f.Refused
		}
	}
	return ""
}

// refersToDropped reports whether an object refers to what a group would have and does not have, since it went back.
func (w given) refersToDropped(d *kind.Desired) bool {
	return slices.ContainsFunc(d.Refs, func(ref kind.RefSpec) bool { return w.Dropped[ref.Key] && w.ByKey[ref.Key] == nil })
}
