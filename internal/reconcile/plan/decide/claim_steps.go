package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// surplusSteps makes the steps for the objects that have a mark for d but do not belong to d.
func (p *planner) surplusSteps(d *kind.Desired, ch choice) {
	for _, item := range ch.surplus {
		s := surplusStep(d, item)
		switch {
		case item.Phase == kind.Deleting:
			s = s.WithAction(plan.Wait, cause.Of(cause.CopyGoing))
		case d.Options.Suspend:
			s = s.WithAction(plan.Keep, cause.Of(cause.Suspended), cause.Of(cause.HalfMadeLeft))
		default:
			s = s.WithAction(plan.Delete, cause.Of(cause.HalfMade))
		}
		p.steps = append(p.steps, s)
	}
	for _, item := range ch.copied {
		s := surplusStep(d, item)
		p.steps = append(p.steps, s.WithAction(plan.Refuse, p.copiedText(d.Key.Kind, item)))
	}
}

// surplusStep returns a step for an object that has a mark for d but does not belong to d. Its action is not set.
func surplusStep(d *kind.Desired, item *kind.Live) plan.Step {
	return plan.Step{Key: d.Key, Source: plan.Source{Origin: d.Origin, Parent: d.Parent}, Object: plan.Object{Have: item, Surplus: true}}
}

// stepsForOwnedImports makes the steps for objects that have the stack's mark for d although the manifest of d only imports an object now. It makes
// none for the imported object found.
func (p *planner) stepsForOwnedImports(d *kind.Desired, found *kind.Live) {
	c := p.Cloud.Claimed(d.Key.Kind, ownertext.Of(p.Stack, d.Key))
	for _, item := range c.All() {
		if item == found {
			continue
		}
		s := surplusStep(d, item)
		p.steps = append(p.steps, s.WithAction(plan.Refuse, cause.Of(cause.MarkOfImported, liveText(item), d.Key, p.unmark(d.Key.Kind, item.ID, ownertext.Of(p.Stack, d.Key)))))
	}
}

// unwantedSteps makes the steps for objects with a mark for a key that is no longer in the repository. If several objects have the same mark,
// none of them is deleted or detached, because the last one would then look like the right one.
func (p *planner) unwantedSteps(o ownertext.Owner, owner string, c bind.Claims) (list []plan.Step) {
	staying := c.Staying()
	var refusal cause.Cause
	switch {
	case len(c.Shared) > 0:
		refusal = p.contestedText(o.Kind, c.Shared[0])
	case len(staying) > 1:
		refusal = p.severalText(p.orphanKey(o, staying[0]), owner, staying)
	}
	for _, item := range c.Sole {
		adopter := p.AdoptedBy[item]
		if p.adoptedNow(item) {
			continue
		}
		s, why := p.orphanStep(o, item), refusal
		if adopter != nil {
			why = cause.Of(cause.AdoptedTwice, adopter.Key, adopter.Import.Where(), cmp.Or(adopter.Import.Field, "spec.import"))
		}
		if !why.IsZero() && s.Action.Writes() {
			s = s.Refused(why)
		}
		list = append(list, s)
	}
	for _, item := range c.Shared {
		s := plan.Step{Key: p.orphanKey(o, item), Object: plan.Object{Have: item}, Error: true}
		list = append(list, s.WithAction(plan.Refuse, p.contestedText(o.Kind, item)))
	}
	for _, item := range c.Copied {
		if !p.adoptedNow(item) {
			s := plan.Step{Key: p.orphanKey(o, item), Object: plan.Object{Have: item}}
			list = append(list, s.WithAction(plan.Refuse, p.copiedText(o.Kind, item)))
		}
	}
	return list
}

// copySteps makes the steps for objects that have a copy of a wanted object's mark. A manifest asks to adopt such an object, but another
// object belongs to that manifest.
func (p *planner) copySteps(key manifest.Key, c bind.Claims) (list []plan.Step) {
	for _, item := range c.Copied {
		if p.AdoptedBy[item] != nil && !p.adoptedNow(item) {
			s := plan.Step{Key: key, Object: plan.Object{Have: item, Surplus: true}}
			list = append(list, s.WithAction(plan.Refuse, p.copiedText(key.Kind, item)))
		}
	}
	return list
}

// adoptedNow reports whether the object belongs to the manifest that asks to adopt it.
func (p *planner) adoptedNow(item *kind.Live) bool {
	d := p.AdoptedBy[item]
	return d != nil && p.found.Live[d] == item
}

// straySteps makes the steps for objects that have a mark of the stack for another kind. The agent never writes such a mark.
func (w worldReader) straySteps() (list []plan.Step) {
	for _, name := range w.KindNames {
		x := w.Cloud.Collection(name)
		if x == nil || w.Have[name].Err != nil {
			continue
		}
		for _, m := range x.Misplaced() {
			s := plan.Step{Key: w.orphanKey(m.Owner, m.Item), Object: plan.Object{Have: m.Item, Surplus: true}}
			list = append(list, s.WithAction(plan.Refuse, cause.Of(cause.Misplaced, name, liveText(m.Item), w.unmark(name, m.Item.ID, m.Text))))
		}
	}
	return list
}

func (w worldReader) severalText(key manifest.Key, owner string, all []*kind.Live) cause.Cause {
	return cause.Of(cause.Several, len(all), key, liveTexts(all), w.unmark(key.Kind, "<id>", owner))
}

// severalNamesText is like severalText, with advice for an object that had another name before.
func (w worldReader) severalNamesText(d *kind.Desired, all []*kind.Live) cause.Cause {
	for _, l := range all {
		if from := w.formerKey(d, l); from != (manifest.Key{}) && slices.ContainsFunc(all, func(o *kind.Live) bool { return o.Mark.Owner != l.Mark.Owner }) {
			return cause.Of(cause.SeveralNames, from, liveText(l), resolve.AnnotationMoved)
		}
	}
	return w.severalText(d.Key, all[0].Mark.Owner, all)
}

func (w worldReader) contestedText(kind string, l *kind.Live) cause.Cause {
	return cause.Of(cause.Contested, liveText(l), strings.Join(l.Mark.Owners(), ", "), w.unmark(kind, l.ID, "<mark>"))
}

func (w worldReader) copiedText(kind string, l *kind.Live) cause.Cause {
	return cause.Of(cause.Copied, liveText(l), l.Copied, w.unmark(kind, l.ID, l.Mark.Owner), l.ID)
}

func (w worldReader) onlyCopiedText(key manifest.Key, l *kind.Live) cause.Cause {
	return cause.Of(cause.OnlyCopied, w.copiedText(key.Kind, l))
}

// unadoptableID says why a manifest cannot adopt the object whose ID it gives.
func (p *planner) unadoptableID(d *kind.Desired) cause.Cause {
	l := p.AdoptedByID(d)
	if l == nil || !p.mayTake(d, l) || l.Mark == nil {
		return cause.Of(cause.UnadoptableID, d.Key.Kind, d.Import.ID, d.Import.Where())
	}
	return p.ownedText(d, l)
}

// ownedText says which owner keeps a manifest from adopting an object.
func (w worldReader) ownedText(d *kind.Desired, l *kind.Live) cause.Cause {
	switch {
	case l.Mark == nil:
		return cause.Of(cause.Unadoptable, liveText(l))
	case l.Mark.Rivals != "":
		return w.contestedText(d.Key.Kind, l)
	}
	if owner := w.ByOwner[l.Mark.Owner]; owner != nil {
		return cause.Of(cause.WantedOtherwise, liveText(l), owner.Key, d.Import.Where())
	}
	return cause.Of(cause.OwnedByOther, liveText(l), l.Mark.Owner, d.Import.Where(), w.unmark(d.Key.Kind, l.ID, l.Mark.Owner))
}

// unmark says how people remove the mark from an object.
func (w worldReader) unmark(kind, id, owner string) cause.Cause {
	command := ""
	if k := w.KindOf[kind]; k != nil {
		command = k.Info.Unmark
	}
	if command == "" {
		return cause.Of(cause.Unmark)
	}
	return cause.Of(cause.UnmarkBy, strings.NewReplacer("<id>", id, "<mark>", owner).Replace(command))
}

// liveTexts identifies the first few of several objects of the cloud for people.
func liveTexts(all []*kind.Live) string {
	const shown = 5
	var names []string
	for i, l := range all {
		if i == shown {
			names = append(names, fmt.Sprintf("and %d more", len(all)-shown))
			break
		}
		names = append(names, liveText(l))
	}
	return strings.Join(names, ", ")
}

// liveText identifies an object of the cloud for people.
func liveText(l *kind.Live) string {
	text := l.ID + " ("
	if l.Name != l.ID {
		text += l.Name
	}
	if !l.Created.IsZero() {
		text += ", created " + l.Created.UTC().Format(time.RFC3339)
	}
	return text + ")"
}
