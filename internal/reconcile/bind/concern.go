package bind

import (
	"bytes"
	"slices"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Concern says which objects of a collection concern a stack: those that bear its marks, and those that it refers to.
type Concern struct {
	// All is true if any object may concern the stack, for example because an import has no name.
	All bool
	// IDs and Names are those of objects without a mark of the stack. While an object is missing, All is true instead.
	IDs, Names []string
}

// Empty reports whether only objects with a mark of the stack concern it.
func (c Concern) Empty() bool { return !c.All && len(c.IDs)+len(c.Names) == 0 }

// Sight is how the objects of a collection that concern a stack looked.
type Sight struct {
	Count int
	sum   checksum.Sum
}

// Same reports whether the objects look the same in both sights. Objects that could not be summed are never the same.
func (s Sight) Same(other Sight) bool { return s == other && s.sum != checksum.Sum{} }

// Look returns how the objects of a list look that concern a stack. The order of the list does not matter.
func (c Concern) Look(list *kind.Index, stack string) Sight {
	var sums []checksum.Sum
	var s summer
	for l := range c.objects(list, stack) {
		sum, ok := s.sumOf(l)
		if !ok {
			return Sight{Count: len(sums) + 1}
		}
		sums = append(sums, sum)
	}
	slices.SortFunc(sums, func(a, b checksum.Sum) int { return bytes.Compare(a[:], b[:]) })
	all := checksum.New("objects")
	all.AddSums(sums...)
	return Sight{len(sums), all.Sum()}
}

// objects returns the objects that concern a stack.
func (c Concern) objects(list *kind.Index, stack string) map[*Live]bool {
	found := map[*Live]bool{}
	if c.All {
		for _, l := range list.Items() {
			found[l] = true
		}
		return found
	}
	for l := range list.Bearing(ownertext.Begin(stack)) {
		found[l] = true
	}
	for _, id := range c.IDs {
		for l := range list.WithID(id) {
			found[l] = true
		}
	}
	for _, name := range c.Names {
		for l := range list.Named(name) {
			found[l] = true
		}
	}
	return found
}
