package mark

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Claimed is the mark of an object that bears these owner texts: nil if there are none, a mark with rivals if they differ.
// said has the other fields of the mark.
func Claimed(owners []string, said kind.Mark) *kind.Mark {
	owners = slices.Compact(slices.Sorted(slices.Values(owners)))
	if len(owners) == 0 {
		return nil
	}
	said.Owner, said.Rivals = owners[0], strings.Join(owners[1:], " ")
	return &said
}

// Join merges the marks of a series of objects into one: all is the result so far, nil at the start, and of the next mark. If
// they differ, not all of the objects were written yet. Keep in one mark is enough.
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
