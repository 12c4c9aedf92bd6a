package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// choice has the object of the cloud that belongs to a manifest.
type choice struct {
	have    *kind.Live   // nil if no object belongs to the manifest, or if it is unknown which one does.
	surplus []*kind.Live // half-made copies of the object, and copies that are being deleted.
	copied  []*kind.Live // objects with a copied mark, which belong to nobody.
	refusal cause.Cause  // why it is unknown which object belongs to the manifest.
}

// identify decides which object of the cloud belongs to d. [bind.Cloud.Choose] finds it by the marks. If no object has a mark for d,
// identify chooses the first object of this list that exists:
//
//   - the object that spec.import.id names, if that object is free
//   - the object that belonged to d until now and has lost its mark
//   - the only object that d asks to adopt by a search
func (p *planner) identify(d *kind.Desired) choice {
	named := p.AdoptedByID(d)
	found := p.Cloud.Choose(p.claims(d), bind.ManifestFacts{AdoptedByID: named, FixedMark: p.KindOf[d.Key.Kind].Info.FixedMark,
		Adopted: func(l *kind.Live) bool { return p.AdoptedBy[l] != nil }})
	out := choice{have: found.Have, surplus: found.Surplus, copied: found.Copied, refusal: p.ambiguityText(d, found)}
	switch {
	case out.have != nil || found.Ambiguity != bind.NoAmbiguity:
	case named != nil && p.mayTake(d, named) && p.isFree(d.Key.Kind, named):
		out.have = named
	default:
		if out.have = p.unmarked(d); out.have == nil {
			out.have = p.foundBySearch(d)
		}
	}
	return out
}

// claims returns all objects that have a mark for d, under any of its names. They are in the stack's own project, or in the project that
// the manifest names. A mark of this stack in any other project is not trusted, because everybody with access to that project can write it.
func (p *planner) claims(d *kind.Desired) (c bind.Claims) {
	project := p.projectOf(d).ID
	for _, owner := range append(p.FormerOwners(d), ownertext.Of(p.Stack, d.Key)) {
		c = c.And(p.Cloud.Claimed(d.Key.Kind, owner)).And(p.Cloud.ClaimedIn(project, d.Key.Kind, owner))
	}
	return c
}

// ambiguityText says why it is unknown which object belongs to d; zero if it is known.
func (w worldReader) ambiguityText(d *kind.Desired, found bind.Choice) cause.Cause {
	switch found.Ambiguity {
	case bind.Contested:
		return w.contestedText(d.Key.Kind, found.Ambiguous[0])
	case bind.Several:
		return w.severalNamesText(d, found.Ambiguous)
	case bind.OnlyCopied:
		return w.onlyCopiedText(d.Key, found.Ambiguous[0])
	case bind.NoAmbiguity:
	}
	return cause.Cause{}
}

// unmarked returns the object that belonged to d when the agent last saw it, if it still exists and somebody has removed its mark since.
// For example, some clouds store the mark in the description, and somebody writes a new description. Only an agent that has run since then
// remembers the object.
//
// An object whose ID is its name does not count, because somebody else may have created another object with that name since. An object that
// another manifest adopts does not count either.
func (p *planner) unmarked(d *kind.Desired) *kind.Live {
	id := p.KnownIDs[d.Key.String()]
	if id == "" || p.Cloud.Collection(d.Key.Kind) == nil || p.AdoptedByID(d) != nil {
		return nil
	}
	l := p.Cloud.Collection(d.Key.Kind).Find(id, d.Entry)
	if l == nil || !p.inProject(d, l) || l.Mark != nil || l.ID == l.Name || p.AdoptedBy[l] != nil {
		return nil
	}
	if other := p.found.DesiredOf[l]; other != nil && other != d {
		return nil
	}
	return l
}

// isFree reports whether an object of the project can be adopted. That is so if it has no mark, if its mark is only a copy, or if this stack
// created it for a key that has no manifest any more. An object with several owners is never free.
func (w worldReader) isFree(kind string, l *kind.Live) bool {
	return l.Mark == nil || l.Mark.Rivals == "" && (l.Copied != "" || w.abandoned(kind, l))
}

// abandoned reports whether the stack created l for a key that has no manifest any more, and no other object has the same mark.
func (w worldReader) abandoned(kindName string, l *kind.Live) bool {
	o, ok := ownertext.Parse(l.Mark.Owner)
	if wanted := w.ByOwner[l.Mark.Owner] != nil; !ok || wanted || !o.Of(w.Stack) || o.Kind != kindName {
		return false
	}
	c := w.Cloud.Claimed(kindName, l.Mark.Owner)
	return len(c.Sole) == 1 && len(c.Shared) == 0
}
