package plan

import (
	"cmp"
	"errors"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// claims are the objects in the cloud that bear one owner mark of the stack.
type claims struct {
	sole   []*kind.Live[any] // bear no other owner's
	shared []*kind.Live[any] // bear marks of other owners too: nobody owns them
	copied []*kind.Live[any] // bear a copy that the cloud made of another object's
}

// choice is what the claims to one key come to.
type choice struct {
	have    *kind.Live[any]   // the object that is meant; nil when there is none
	surplus []*kind.Live[any] // half-made copies of it, and what is being deleted
	copied  []*kind.Live[any] // belong to nobody
	refusal cause.Cause       // why it cannot be decided which is meant; then have is nil
}

// settle decides which of the objects that claim to be d is d. A mark is a claim
// and no proof: between two finished objects nothing is chosen.
//
//	claims                                      comes to
//	------------------------------------------  --------------------------------
//	one                                         this one
//	some being deleted, and one                 this one
//	one finished, younger ones half-made        the finished one; the others go
//	all half-made                               the oldest; the others go
//	anything else, or one with other owners     nothing, and it is reported
//	copied marks only                           nothing, and it is reported
//	none                                        what spec.import.id names, if it is
//	                                            free; what it was until now and
//	                                            has lost its mark; the only one that
//	                                            it asks to adopt; else nothing
func (p *planner) settle(d *kind.Desired) choice {
	c := p.claims(d)
	staying, leaving := split(c.sole)
	named := p.named(d)
	if named != nil && slices.Contains(c.copied, named) {
		staying = append(staying, named)
	}
	out := choice{surplus: leaving, copied: slices.DeleteFunc(slices.Clone(c.copied), func(l *kind.Live[any]) bool { return p.adopted[l] != nil })}
	switch {
	case len(c.shared) > 0:
		out.refusal = p.contestedText(d.Key.Kind, c.shared[0])
	case len(staying) > 1:
		if out.have = p.original(d.Key.Kind, staying); out.have == nil {
			out.refusal = p.severalNamesText(d, staying)
			break
		}
		out.surplus = append(slices.DeleteFunc(staying, func(l *kind.Live[any]) bool { return l == out.have }), leaving...)
	case len(staying) == 1:
		out.have = staying[0]
	case len(leaving) > 0:
		out.have, out.surplus = leaving[0], leaving[1:]
	case len(out.copied) > 0:
		out.refusal, out.copied = p.onlyCopiedText(d.Key, out.copied[0]), out.copied[1:]
	case named != nil && p.mayTake(d, named) && p.free(d.Key.Kind, named):
		out.have = named
	default:
		if out.have = p.unmarked(d); out.have == nil {
			out.have = p.sought(d)
		}
	}
	return out
}

// unmarked is what d was in the cloud when it was last seen, if it is still there
// and somebody has taken the mark off since, as by writing a new description on a
// cloud where that holds the mark. Only an agent that runs on remembers. What is called by its name alone
// may be another one of that name, which a stranger has made since.
func (p *planner) unmarked(d *kind.Desired) *kind.Live[any] {
	id := p.Lost[d.Key.String()]
	if id == "" || p.index[d.Key.Kind] == nil || p.named(d) != nil {
		return nil
	}
	if l := p.index[d.Key.Kind].find(id, d.Entry); l != nil && p.inProject(d, l) && l.Mark == nil && l.ID != l.Name {
		return l
	}
	return nil
}

// claimed is who bears an owner text in a collection.
func (p *planner) claimed(kind, owner string) *claims {
	if x := p.index[kind]; x != nil && x.owner[owner] != nil {
		return x.owner[owner]
	}
	return &claims{}
}

// named is the object that a managed manifest wants to adopt, if it is there.
func (p *planner) named(d *kind.Desired) *kind.Live[any] {
	if d.Unmanaged || d.Import == nil || d.Import.ID == "" {
		return nil
	}
	return p.index[d.Key.Kind].find(d.Import.ID, d.Entry)
}

// free reports whether an object of the project can be adopted: nobody owns it, or nobody but the
// cloud says so, or the stack itself made it for a key that it does not want any
// more.
func (p *planner) free(kind string, l *kind.Live[any]) bool {
	return l.Mark == nil || l.Mark.Rivals == "" && (l.Copied != "" || p.abandoned(kind, l))
}

// abandoned reports whether the stack has made l, which nothing in the repository
// stands for, and nothing else claims to be it.
func (p *planner) abandoned(kindName string, l *kind.Live[any]) bool {
	o, ok := kind.ParseOwner(l.Mark.Owner)
	if _, wanted := p.taken[l.Mark.Owner]; !ok || wanted || !o.Of(p.Stack) || o.Kind != kindName {
		return false
	}
	c := p.claimed(kindName, l.Mark.Owner)
	return len(c.sole) == 1 && len(c.shared) == 0
}

// split sets apart what is on its way out. Both are in the order of their IDs.
func split(all []*kind.Live[any]) (staying, leaving []*kind.Live[any]) {
	byID := func(a, b *kind.Live[any]) int { return cmp.Compare(a.ID, b.ID) }
	for _, l := range slices.SortedFunc(slices.Values(all), byID) {
		if l.Phase == kind.Deleting {
			leaving = append(leaving, l)
		} else {
			staying = append(staying, l)
		}
	}
	return staying, leaving
}

// original is the one of several objects that the others are provably half-made
// copies of; nil when there is no such proof.
func (p *planner) original(kindName string, all []*kind.Live[any]) *kind.Live[any] {
	if p.kinds[kindName].Info().FixedMark {
		return nil // such marks do not show what is half-made
	}
	var kept *kind.Live[any]
	for _, l := range all {
		switch {
		case l.Mark.Applied == "":
		case kept != nil:
			return nil
		default:
			kept = l
		}
	}
	if kept == nil {
		kept = slices.MinFunc(all, func(a, b *kind.Live[any]) int { return a.Created.Compare(b.Created) })
	}
	for _, l := range all {
		if l != kept && !p.leftover(l, kept) {
			return nil
		}
	}
	return kept
}

// leftover reports whether l is what an interrupted request has left besides kept:
// nothing was applied to it yet, it is the younger of the two, and nothing uses
// it.
func (p *planner) leftover(l, kept *kind.Live[any]) bool {
	return l.Mark.Applied == "" && l.Copied == "" && !l.InUse && !kept.Created.IsZero() && l.Created.After(kept.Created) && !p.usedByAnybody(l)
}

// usedByAnybody reports whether any object, whoever owns it, uses l. What could
// not be listed may use it too.
func (p *planner) usedByAnybody(l *kind.Live[any]) bool {
	tokens := append([]string{l.ID}, l.Tokens...)
	for _, c := range p.Have {
		if slices.ContainsFunc(c.Errs(), func(err error) bool { return !errors.Is(err, kind.ErrNoService) }) {
			return true
		}
		if c.Err != nil {
			continue
		}
		for i := range c.Items {
			user := &c.Items[i]
			if user.ID != l.ID && slices.ContainsFunc(user.Uses, func(token string) bool { return slices.Contains(tokens, token) }) {
				return true
			}
		}
	}
	return false
}
