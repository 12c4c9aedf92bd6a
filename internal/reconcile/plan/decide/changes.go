package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// changes compares the object of a step with its manifest. differs are the differences of the object itself. moved are the fixed references
// whose targets get new IDs. ignored are the differences that annotations ignore. notes name the settings that this cloud does not realise.
// The argument former is the earlier key that the object was created for; zero if its key has not changed.
func (p *planner) changes(s plan.Step, former manifest.Key) (differs, moved, ignored []kind.Change, notes []kind.Note) {
	d, have, mark := s.Want, s.Have, s.Viewed.Mark
	c := d.Conceal(p.KindOf[d.Key.Kind].Diff(*s.Viewed, have.State))
	var next []kind.Change
	for _, change := range c.List() {
		by, entrusted := d.Options.Entrusted[change.Field]
		switch {
		case d.Options.Ignores(change.Field):
			ignored = append(ignored, change)
		case entrusted && change.Disruption == kind.Replace:
			notes = append(notes, kind.Note{Field: change.Field, Text: "is changed by the step of " + by.String()})
		case change.Disruption == kind.Replace && d.Options.Way(change.Field) == manifest.WayNext:
			next = append(next, change)
		case change.Disruption == kind.Replace && d.Options.Way(change.Field) == "" && p.movedImport(d, have, change) != nil:
			next, notes = append(next, change), append(notes, p.newerNote(d, have, change))
		default:
			chosen, _ := d.Options.Chosen(change)
			differs = append(differs, chosen)
		}
	}
	fixed := p.KindOf[d.Key.Kind].Info.FixedMark && have.Mark != nil && (have.Mark.Owner == mark.Owner || former != (manifest.Key{}))
	if fixed && have.Mark.Owner != mark.Owner {
		notes = append(notes, kind.Note{Field: resolve.AnnotationField(resolve.AnnotationMoved), Text: "must not be removed: the mark of a " + d.Key.Kind + " cannot be rewritten"})
	}
	if !fixed && (have.Mark == nil || !have.Mark.SameAs(mark) || have.Copied != "") {
		differs = append(differs, kind.Change{Field: kind.MarkField, Have: markText(have), Want: mark.Text()})
	}
	for _, ref := range d.Refs {
		if ref.Fixed && p.found.GetsNewID[ref.Key] && !d.Options.Ignores(ref.Field) {
			moved = append(moved, kind.Change{Field: ref.Field, Have: "the present " + ref.Key.String(), Want: "the new one", Disruption: kind.Replace})
		}
	}
	along, left := splitJoint(next, slices.Concat(differs, moved))
	return differs, append(moved, along...), append(ignored, left...), append(notes, c.Notes()...)
}

// splitJoint splits changes that are carried out only together with another change. It returns first the changes that can be carried out now,
// together with one of others, and then the changes that still wait.
func splitJoint(next, others []kind.Change) (now, later []kind.Change) {
	for _, change := range next {
		if joined, ok := join(change, others); ok {
			now = append(now, joined)
		} else {
			later = append(later, change)
		}
	}
	return now, later
}

// join returns a change in the form in which it is carried out together with other changes that replace or rebuild the object. ok is false
// if no such change is among others.
func join(change kind.Change, others []kind.Change) (joined kind.Change, ok bool) {
	if slices.ContainsFunc(others, func(c kind.Change) bool { return c.Disruption == kind.Replace }) {
		return change, true
	}
	for _, other := range others {
		if by, ok := change.InWay(other.Way); ok && other.Disruption == kind.Rebuild {
			return by, true
		}
	}
	return change, false
}

func markText(l *kind.Live) string {
	switch {
	case l.Mark == nil:
		return ""
	case l.Copied != "":
		return l.Mark.Text() + " copied"
	}
	return l.Mark.Text()
}

// differences returns the differences of the object itself, including fields that its annotations ignore.
func (p *planner) differences(s plan.Step) []kind.Change {
	c := s.Want.Conceal(p.KindOf[s.Key.Kind].Diff(*s.Viewed, s.Have.State))
	return c.List()
}
