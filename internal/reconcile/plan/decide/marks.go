package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// mark returns the mark that an object shall have in the cloud.
func (p *planner) mark(d *kind.Desired) kind.Mark {
	m := d.PlainMark(p.Stack)
	m.Applied, m.Refused, m.Loses = p.InMark(d), p.refused(d), p.remembersLoss(d)
	if p.learned.Drains[d.Key] || p.refersToDropped(d) {
		m.Applied = kind.Unfinished // so that the differences are not drift, now or later
	}
	return m
}

// sameMeaning reports whether the mark have and the mark of d have the same meaning in different forms. Earlier versions, which could not
// detach objects, did not write Detach.
func (p *planner) sameMeaning(d *kind.Desired, have *kind.Mark) bool {
	want := p.mark(d)
	return have != nil && have.Owner == want.Owner && have.Keep == want.Keep && p.Applied(d, have) &&
		(have.Detach == want.Detach && (have.Applied != want.Applied || have.Refused != want.Refused) || want.Detach && !have.Detach)
}

// refused returns the state that the group of an object went back from, if the mark of this object has to record that state; ""
// otherwise.
func (w worldReader) refused(d *kind.Desired) string {
	for _, f := range w.Fallbacks {
		if f.Marked == d.Key {
			return f.Refused
		}
	}
	return ""
}

// refersToDropped reports whether an object refers to a member that its group does not have, because the group went back.
func (w worldReader) refersToDropped(d *kind.Desired) bool {
	return slices.ContainsFunc(d.Refs, func(ref kind.RefSpec) bool { return w.Dropped[ref.Key] && w.ByKey[ref.Key] == nil })
}
