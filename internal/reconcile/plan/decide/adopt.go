package decide

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// foundBySearch returns the object that a managed manifest asks to adopt by a filter or by its name. It is nil unless exactly one object matches
// and that object has no mark.
func (p *planner) foundBySearch(d *kind.Desired) *kind.Live {
	if d.Import == nil || !d.Import.Searches() || p.unreadyFilter(d) != "" || p.vanishedID(d) != "" {
		return nil
	}
	if found := p.adoptable(d); len(found) == 1 && found[0].Mark == nil {
		return found[0]
	}
	return nil
}

// vanishedID returns the ID that d had in the cloud when the agent last saw it, if no object with that ID exists now. It is "" if the object
// exists, if the agent never saw it, or if this agent deleted it. If d has vanished, an object that a search finds is not d.
func (w worldReader) vanishedID(d *kind.Desired) string {
	id := w.KnownIDs[d.Key.String()]
	if id == "" || w.Cloud.Collection(d.Key.Kind).Find(id, d.Entry) != nil {
		return ""
	}
	return id
}

// adoptable returns the objects of the project that a manifest asks to adopt, with or without an owner.
func (p *planner) adoptable(d *kind.Desired) (found []*kind.Live) {
	candidates := p.Cloud.Collection(d.Key.Kind).WithName(p.nameToAdopt(d))
	if d.Import.Filter != nil {
		candidates = p.candidates(d)
	}
	for _, l := range candidates {
		if p.mayTake(d, l) && l.AlsoListedAs == "" && l.Phase != kind.Deleting && (l.Name != "" || d.Import.Filter != nil) {
			found = append(found, l)
		}
	}
	return found
}

// nameToAdopt returns the name of d in the cloud, without a mark in the name.
func (p *planner) nameToAdopt(d *kind.Desired) string {
	w := p.view(d, d.Spec)
	w.Mark = kind.Mark{}
	return p.KindOf[d.Key.Kind].Name(w)
}

// unreadyFilter returns an object that the filter refers to and that is not ready, or "" if there is none.
func (p *planner) unreadyFilter(d *kind.Desired) string {
	for _, ref := range d.Refs {
		if strings.HasPrefix(ref.Field, "spec.import.filter") && !p.ready(ref.Key) {
			return ref.Key.String()
		}
	}
	return ""
}

// decideUnadopted makes the step for a manifest that asks to adopt an object and cannot.
func (p *planner) decideUnadopted(s plan.Step, d *kind.Desired) plan.Step {
	if d.Import.Filter != nil {
		if key := p.unreadyFilter(d); key != "" {
			return s.WithAction(plan.Wait, cause.Of(cause.WaitsFor, key))
		}
	}
	return s.Refused(p.unadoptable(d))
}

// unadoptable says why a manifest cannot adopt any object.
func (p *planner) unadoptable(d *kind.Desired) cause.Cause {
	if !d.Import.Searches() {
		return p.unadoptableID(d)
	}
	what, name := d.Key.Kind, p.nameToAdopt(d)
	found := p.adoptable(d)
	if id := p.vanishedID(d); id != "" && len(found) > 0 {
		return cause.Of(cause.Vanished, id, liveText(found[0]), d.Import.Where())
	}
	part := d.Parent.Kind != "" // the parent has the annotation, with the value "true"
	switch {
	case part && name == "":
		return cause.Of(cause.NamelessPart, d.Parent)
	case part && len(found) == 0:
		return cause.Of(cause.NoneNamedPart, what, printable.Name(name), d.Import.Where())
	case d.Import.ByName && name == "":
		return cause.Of(cause.Nameless, d.Import.Where())
	case len(found) == 0 && d.Import.ByName:
		return cause.Of(cause.NoneNamed, what, printable.Name(name), d.Import.Where())
	case len(found) == 0:
		return cause.Of(cause.NoneMatches, what, d.Import.Where())
	case len(found) > 1:
		return p.severalToAdopt(d, found)
	default:
		return p.ownedText(d, found[0])
	}
}

func (w worldReader) severalToAdopt(d *kind.Desired, found []*kind.Live) cause.Cause {
	fix := cause.Of(cause.GiveID)
	switch {
	case d.Parent.Kind != "":
		fix = cause.Of(cause.RenameOthers, d.Parent)
	case d.Import.Filter != nil:
		fix = cause.Of(cause.NarrowOrID)
	}
	if w.private(d) {
		return cause.Of(cause.SeveralToAdopt, len(found), d.Import.Where(), fix)
	}
	return cause.Of(cause.SeveralToAdoptOf, len(found), d.Import.Where(), liveTexts(found), fix)
}

// cannotBe says why the object that d names or finds cannot be the object of d; zero if it can. If several manifests name one object, it
// belongs to the first of them, no matter which owner text the object has now.
func (p *planner) cannotBe(d *kind.Desired, l *kind.Live, adopts bool) cause.Cause {
	info := p.KindOf[d.Key.Kind].Info
	switch first := p.found.DesiredOf[l]; {
	case first != nil && first != d && d.Import != nil:
		return cause.Of(cause.AdoptedBy, liveText(l), first.Key, d.Import.Where())
	case adopts && info.FixedMark:
		return cause.Of(cause.MarkUnwritable, liveText(l), info.Kind)
	}
	return cause.Cause{}
}
