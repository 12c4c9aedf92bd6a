package bind

import (
	"errors"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Ambiguity is the reason why the object for a key cannot be decided.
type Ambiguity int

// These are the reasons. NoAmbiguity means that the object is decided.
const (
	NoAmbiguity Ambiguity = iota
	Contested             // the object has marks of other owners, too
	Several               // several finished objects have the mark
	OnlyCopied            // the only marks are copies of another object's
)

// Choice is the result of [Cloud.Choose] for one key.
type Choice struct {
	Have      *Live   // the chosen object; nil if there is none, or if there is an ambiguity.
	Surplus   []*Live // half-made copies of Have, and objects that are being deleted.
	Copied    []*Live // objects with a copied mark; they belong to nobody.
	Ambiguity Ambiguity
	Ambiguous []*Live // the objects that the ambiguity is about.
}

// ManifestFacts contains the facts about an object from manifests, besides its key.
type ManifestFacts struct {
	AdoptedByID *Live            // the object that the manifest adopts by its ID, if the object exists
	Adopted     func(*Live) bool // reports whether any manifest adopts an object by its ID
	// FixedMark is true if the marks of the kind cannot be changed, so that they do not show whether an object is half-made.
	FixedMark bool
}

// Choose decides which of the objects that claim a key is the right one. A mark is only a claim, not a proof, so Choose does not decide
// between two finished objects.
//
//	claims to the key                                      result
//	-----------------------------------------------------  ------------------------------------------------
//	one object                                             this object
//	one object, and some that are being deleted            the object; the others are surplus
//	one finished object, and half-made ones that are not   the finished object; the others are surplus
//	  much older
//	half-made objects only                                 the oldest; the others are surplus
//	objects that are being deleted only                    the first of them; the others are surplus
//	an object that has marks of other owners, too          an ambiguity
//	only objects with copied marks                         an ambiguity
//	several objects, in any other case                     an ambiguity
//	no object                                              nothing
func (c *Cloud) Choose(claims Claims, asked ManifestFacts) Choice {
	staying, leaving := split(claims.Sole)
	if asked.AdoptedByID != nil && slices.Contains(claims.Copied, asked.AdoptedByID) {
		staying = append(staying, asked.AdoptedByID)
	}
	out := Choice{Surplus: leaving, Copied: slices.DeleteFunc(slices.Clone(claims.Copied), asked.Adopted)}
	switch {
	case len(claims.Shared) > 0:
		out.Ambiguity, out.Ambiguous = Contested, claims.Shared[:1]
	case len(staying) > 1:
		if out.Have = c.original(staying, asked.FixedMark); out.Have == nil {
			out.Ambiguity, out.Ambiguous = Several, staying
			break
		}
		out.Surplus = append(slices.DeleteFunc(staying, func(l *Live) bool { return l == out.Have }), leaving...)
	case len(staying) == 1:
		out.Have = staying[0]
	case len(leaving) > 0:
		out.Have, out.Surplus = leaving[0], leaving[1:]
	case len(out.Copied) > 0:
		out.Ambiguity, out.Ambiguous, out.Copied = OnlyCopied, out.Copied[:1], out.Copied[1:]
	}
	return out
}

// original returns the object of which all others in the list are half-made copies. It returns nil if that cannot be proved.
func (c *Cloud) original(all []*Live, fixedMark bool) *Live {
	if fixedMark {
		return nil
	}
	var original *Live
	for _, l := range all {
		switch {
		case l.Mark.Applied == kind.HalfMade:
		case original != nil:
			return nil
		default:
			original = l
		}
	}
	if original == nil {
		original = slices.MinFunc(all, func(a, b *Live) int { return a.Created.Compare(b.Created) })
	}
	for _, l := range all {
		if l != original && !c.leftover(l, original) {
			return nil
		}
	}
	return original
}

// MaxLateness is the longest time by which a half-made object may be older than the finished one. Then a killed process has requested the older
// object, and the cloud has created it so late that the next process has requested another one.
const MaxLateness = 5 * time.Minute

// leftover reports whether l was left by an interrupted request, and original was made instead. Then nothing was applied to l yet. l must be no
// copy, must not be used by any object, and must be younger than original, or older by at most [MaxLateness].
func (c *Cloud) leftover(l, original *Live) bool {
	known := !original.Created.IsZero() && !l.Created.IsZero()
	return known && l.Copied == "" && !l.InUse && l.Created.After(original.Created.Add(-MaxLateness)) && !c.usedByAnybody(l)
}

// usedByAnybody reports whether any object, of any owner, uses l. The result is also true if a list failed, because an object in that list
// may use l.
func (c *Cloud) usedByAnybody(l *Live) bool {
	tokens := append([]string{l.ID}, l.Tokens...)
	for name, list := range c.have {
		if slices.ContainsFunc(list.Errs(), func(err error) bool { return !errors.Is(err, kind.ErrNoService) }) {
			return true
		}
		for _, token := range tokens {
			for user := range c.collections[name].list.Using(token) {
				if user.ID != l.ID {
					return true
				}
			}
		}
	}
	return false
}
