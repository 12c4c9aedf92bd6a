package bind

import (
	"cmp"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Claims are the objects in the cloud that have the same owner mark of the stack.
type Claims struct {
	Sole   []*Live // objects without another owner's mark.
	Shared []*Live // objects that have marks of other owners, too, so that nobody owns them.
	Copied []*Live // objects that have a copy of another object's mark, which the cloud made.
}

func (c *Claims) add(l *Live) {
	switch {
	case l.Mark.Rivals != "":
		c.Shared = append(c.Shared, l)
	case l.Copied != "":
		c.Copied = append(c.Copied, l)
	default:
		c.Sole = append(c.Sole, l)
	}
}

// And returns the claims of c and of other. Nobody may change the result, because it shares the lists where only one of the two has any.
func (c Claims) And(other Claims) Claims {
	return Claims{both(c.Sole, other.Sole), both(c.Shared, other.Shared), both(c.Copied, other.Copied)}
}

func both(a, b []*Live) []*Live {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return slices.Concat(a, b)
}

// All returns all objects with a claim.
func (c Claims) All() []*Live { return slices.Concat(c.Sole, c.Shared, c.Copied) }

// Staying returns the objects that have no other owner's mark and are not being deleted, in the order of their
// IDs.
func (c Claims) Staying() []*Live {
	staying, _ := split(c.Sole)
	return staying
}

// within returns the claims of objects in a project.
func (c Claims) within(project string) Claims {
	some := func(list []*Live) []*Live {
		return slices.DeleteFunc(slices.Clone(list), func(l *Live) bool { return l.Project != project })
	}
	return Claims{some(c.Sole), some(c.Shared), some(c.Copied)}
}

func (c Claims) projects() map[string]bool {
	ids := map[string]bool{}
	for _, l := range c.All() {
		ids[l.Project] = true
	}
	return ids
}

// split separates the objects that are being deleted. Both results are in the order of their IDs.
func split(all []*Live) (staying, leaving []*Live) {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b *Live) int { return cmp.Compare(a.ID, b.ID) })
	for _, l := range sorted {
		if l.Phase == kind.Deleting {
			leaving = append(leaving, l)
		} else {
			staying = append(staying, l)
		}
	}
	return staying, leaving
}
