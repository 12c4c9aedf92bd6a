package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// choice is which object a manifest stands for.
type choice struct {
	have    *kind.Live   // nil when there is none, and where that cannot be decided
	surplus []*kind.Live // half-made copies of it, and what is being deleted
	copied  []*kind.Live // belong to nobody
	refusal cause.Cause  // why it cannot be decided
}

// settle decides which object d is: the one that [bind.Cloud.Choose] finds by the marks. Where nothing claims to be d, it is what
// spec.import.id names, if that is free; or what d was until now and has lost its mark; or the only one that d asks to adopt.
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

// doubtText says why it cannot be decided which object d is; zero where it can.
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

// unmarked is what d was in the cloud when it was last seen, if it is still there
// and somebody has taken the mark off since, as by writing a new description on a
// cloud where that holds the mark. Only an agent that runs on remembers. What is called by its name alone
// may be another one of that name, which a stranger has made since; what another manifest adopts is that one's.
func (p *planner) unmarked(d *kind.Desired) *kind.Live {
	id := p.Lost[d.Key.String()]
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

// free reports whether an object of the project can be adopted: nobody owns it, or nobody but the
// cloud says so, or the stack itself made it for a key that it does not want any
// more.
func (w given) free(kind string, l *kind.Live) bool {
	return l.Mark == nil || l.Mark.Rivals == "" && (l.Copied != "" || w.abandoned(kind, l))
}

// abandoned reports whether the stack has made l, which nothing in the repository
// stands for, and nothing else claims to be it.
func (w given) abandoned(kindName string, l *kind.Live) bool {
	o, ok := ownertext.Parse(l.Mark.Owner)
	if _, wanted := w.ByOwner[l.Mark.Owner]; !ok || wanted || !o.Of(w.Stack) || o.Kind != kindName {
		return false
	}
	c := w.Cloud.Claimed(kindName, l.Mark.Owner)
	return len(c.Sole) == 1 && len(c.Shared) == 0
}
