package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// choice is the object that a manifest stands for.
type choice struct {
	have    *kind.Live   // nil when there is none, or when it is unknown which one it is.
	surplus []*kind.Live // half-made copies of it, and copies that are being deleted.
	copied  []*kind.Live // objects with a copied mark, which belong to nobody.
	refusal cause.Cause  // why it is unknown which object it is.
}

// identify decides which object d stands for. [bind.Cloud.Choose] finds it by the marks. If no object claims to be d, it is the first of these:
//
//   - the object that spec.import.id names, if that is free
//   - the object that d was until now, if it has lost its mark
//   - the only object that d asks to adopt by a search
func (p *planner) identify(d *kind.Desired) choice {
	named := p.Named(d)
	found := p.Cloud.Choose(p.claims(d), bind.Asked{Named: named, FixedMark: p.KindOf[d.Key.Kind].Info.FixedMark,
		Adopted: func(l *kind.Live) bool { return p.AdoptedBy[l] != nil }})
	out := choice{have: found.Have, surplus: found.Surplus, copied: found.Copied, refusal: p.doubtText(d, found)}
	switch {
	case out.have != nil || found.Doubt != bind.NoDoubt:
	case named != nil && p.mayTake(d, named) && p.free(d.Key.Kind, named):
		out.have = named
	default:
		if out.have = p.unmarked(d); out.have == nil {
			out.have = p.sought(d)
		}
	}
	return out
}

// doubtText says why it is unknown which object d stands for; zero where it is known.
func (w given) doubtText(d *kind.Desired, found bind.Choice) cause.Cause {
	switch found.Doubt {
	case bind.Contested:
		return w.contestedText(d.Key.Kind, found.About[0])
	case bind.Several:
		return w.severalNamesText(d, found.About)
	case bind.OnlyCopied:
		return w.onlyCopiedText(d.Key, found.About[0])
	case bind.NoDoubt:
	}
	return cause.Cause{}
}

// unmarked is the object that d was when the agent last saw it, if it still exists and somebody has removed its mark since. That happens when
// somebody writes a new description, on a cloud that keeps the mark there. Only an agent that keeps running remembers the object.
//
// An object that is identified by its name alone does not count: it may be another one of that name, which a stranger has made since. Nor does an
// object that another manifest adopts.
func (p *planner) unmarked(d *kind.Desired) *kind.Live {
	id := p.KnownIDs[d.Key.String()]
	if id == "" || p.Cloud.Of(d.Key.Kind) == nil || p.Named(d) != nil {
		return nil
	}
	l := p.Cloud.Of(d.Key.Kind).Find(id, d.Entry)
	if l == nil || !p.inProject(d, l) || l.Mark != nil || l.ID == l.Name || p.AdoptedBy[l] != nil {
		return nil
	}
	if other := p.found.StandsFor[l]; other != nil && other != d {
		return nil
	}
	return l
}

// free reports whether an object of the project can be adopted. It has no mark, or its mark is only a copy, or this stack made it for a key that it
// no longer wants. An object with several owners is never free.
func (w given) free(kind string, l *kind.Live) bool {
	return l.Mark == nil || l.Mark.Rivals == "" && (l.Copied != "" || w.abandoned(kind, l))
}

// abandoned reports whether the stack made l for a key that it no longer wants, and no other object has the same mark.
func (w given) abandoned(kindName string, l *kind.Live) bool {
	o, ok := ownertext.Parse(l.Mark.Owner)
	if _, wanted := w.ByOwner[l.Mark.Owner]; !ok || wanted || !o.Of(w.Stack) || o.Kind != kindName {
		return false
	}
	c := w.Cloud.Claimed(kindName, l.Mark.Owner)
	return len(c.Sole) == 1 && len(c.Shared) == 0
}
