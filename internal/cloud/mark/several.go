package mark

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Claimed is the mark of an object that bears these owner texts: nil when there
// are none, one with rivals when they differ. said is what it says besides.
func Claimed(owners []string, said kind.Mark) *kind.Mark {
	owners = slices.Compact(slices.Sorted(slices.Values(owners)))
	if len(owners) == 0 {
		return nil
	}
	said.Owner, said.Rivals = owners[0], strings.Join(owners[1:], " ")
	return &said
}

// Join is the mark of a series of objects of which each has one: of those before, nil for none, and of another one. Where they
// differ, not all of them were written yet. One that says keep is enough.
func Join(all, of *kind.Mark) *kind.Mark {
	if all == nil {
		m := *of
		return &m
	}
	if all.Applied != of.Applied || all.Keep != of.Keep || all.Detach != of.Detach || all.Loses != of.Loses {
		all.Applied, all.Keep, all.Detach, all.Loses = kind.Unfinished, all.Keep || of.Keep, all.Detach && of.Detach, all.Loses && of.Loses
	}
	return all
}
