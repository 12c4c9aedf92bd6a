package bind

import (
	"errors"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Doubt is the reason why the object for a key cannot be decided.
type Doubt int

// The doubts.
const (
	NoDoubt    Doubt = iota
	Contested        // the object bears marks of other owners, too
	Several          // several finished objects bear the mark
	OnlyCopied       // the only marks are copies of another object's
)

// Choice is the result of the claims to one key.
type Choice struct {
	Have    *Live   // the chosen object; nil for none, and where there is a doubt.
	Surplus []*Live // half-made copies of it, and objects that are being deleted.
	Copied  []*Live // objects with a copied mark: they belong to nobody.
	Doubt   Doubt
	About   []*Live // the objects that the doubt is about.
}

// Asked is what manifests say about an object besides its key.
type Asked struct {
	Named   *Live            // the object that the manifest adopts by its ID, if it exists
	Adopted func(*Live) bool // whether any manifest adopts an object by its ID
	// FixedMark says that marks of the kind cannot be changed: they do not show whether an object is half-made.
	FixedMark bool
}

// Choose decides which of the objects that claim a key is the right one. A mark is a claim and no proof: between two
// finished objects Choose does not decide.
//
//	claims                                      result
//	------------------------------------------  --------------------------------
//	one                                         this one
//	some being deleted, and one                 this one
//	one finished, others half-made              the finished one; the others go, unless one is much older
//	all half-made                               the oldest; the others go
//	anything else, or one with other owners     a doubt
//	copied marks only                           a doubt
//	none                                        nothing
func (c *Cloud) Choose(claims Claims, asked Asked) Choice {
	staying, leaving := split(claims.Sole)
	if asked.Named != nil && slices.Contains(claims.Copied, asked.Named) {
		staying = append(staying, asked.Named)
	}
	out := Choice{Surplus: leaving, Copied: slices.DeleteFunc(slices.Clone(claims.Copied), asked.Adopted)}
	switch {
	case len(claims.Shared) > 0:
		out.Doubt, out.About = Contested, claims.Shared[:1]
	case len(staying) > 1:
		if out.Have = c.original(staying, asked.FixedMark); out.Have == nil {
			out.Doubt, out.About = Several, staying
			break
		}
		out.Surplus = append(slices.DeleteFunc(staying, func(l *Live) bool { return l == out.Have }), leaving...)
	case len(staying) == 1:
		out.Have = staying[0]
	case len(leaving) > 0:
		out.Have, out.Surplus = leaving[0], leaving[1:]
	case len(out.Copied) > 0:
		out.Doubt, out.About, out.Copied = OnlyCopied, out.Copied[:1], out.Copied[1:]
	}
	return out
}

// original returns the one of several objects whose half-made copies the others provably are; nil when there is no such proof.
func (c *Cloud) original(all []*Live, fixedMark bool) *Live {
	if fixedMark {
		return nil
	}
	var kept *Live
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
		kept = slices.MinFunc(all, func(a, b *Live) int { return a.Created.Compare(b.Created) })
	}
	for _, l := range all {
		if l != kept && !c.leftover(l, kept) {
			return nil
		}
	}
	return kept
}

// LateBy is how much older than the finished object a half-made one may be. A killed process has asked for the older one, and the cloud has
// carried that request out so late that the next process has asked for another one.
const LateBy = 5 * time.Minute

// leftover reports whether an interrupted request has left l besides kept. Nothing was applied to l yet. It must be no copy, have no user, and
// be younger than kept, or older by [LateBy] at most.
func (c *Cloud) leftover(l, kept *Live) bool {
	known := !kept.Created.IsZero() && !l.Created.IsZero()
	return known && l.Copied == "" && !l.InUse && l.Created.After(kept.Created.Add(-LateBy)) && !c.usedByAnybody(l)
}

// usedByAnybody reports whether any object, of any owner, uses l. It is true as well if a list failed: an object in it may use l.
func (c *Cloud) usedByAnybody(l *Live) bool {
	tokens := append([]string{l.ID}, l.Tokens...)
	for _, list := range c.have {
		if slices.ContainsFunc(list.Errs(), func(err error) bool { return !errors.Is(err, kind.ErrNoService) }) {
			return true
		}
		for i := range list.Items {
			user := &list.Items[i]
			if user.ID != l.ID && slices.ContainsFunc(user.Uses, func(token string) bool { return slices.Contains(tokens, token) }) {
				return true
			}
		}
	}
	return false
}
