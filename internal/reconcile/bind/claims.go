package bind

import (
	"cmp"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Claims are the objects in the cloud that bear one owner mark of the stack.
type Claims struct {
	Sole   []*Live // bear no other owner's
	Shared []*Live // bear marks of other owners, too: nobody owns them
	Copied []*Live // bear a copy that the cloud made of another object's
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

// And are the claims of both.
func (c Claims) And(other Claims) Claims {
	return Claims{slices.Concat(c.Sole, other.Sole), slices.Concat(c.Shared, other.Shared), slices.Concat(c.Copied, other.Copied)}
}

// All are the objects that claim anything.
func (c Claims) All() []*Live { return slices.Concat(c.Sole, c.Shared, c.Copied) }

// Staying are the objects that bear no other owner's mark and are not being deleted, in the order of their IDs.
func (c Claims) Staying() []*Live {
	staying, _ := split(c.Sole)
	return staying
}

// within are the claims of objects in a project.
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

// split sets apart what is being deleted. Both are in the order of their IDs.
func split(all []*Live) (staying, leaving []*Live) {
	for _, l := range slices.SortedFunc(slices.Values(all), func(a, b *Live) int { return cmp.Compare(a.ID, b.ID) }) {
		if l.Phase == kind.Deleting {
			leaving = append(leaving, l)
		} else {
			staying = append(staying, l)
		}
	}
	return staying, leaving
}
