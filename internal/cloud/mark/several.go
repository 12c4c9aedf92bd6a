package mark

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Claimed returns the mark of an object with these owner texts; nil if there are none. If they differ, the mark has rivals.
// said contains the other fields of the mark.
func Claimed(owners []string, said kind.Mark) *kind.Mark {
	owners = slices.Compact(slices.Sorted(slices.Values(owners)))
	if len(owners) == 0 {
		return nil
	}
	said.Owner, said.Rivals = owners[0], strings.Join(owners[1:], " ")
	return &said
}

// Join merges the marks of a series of objects into one. The argument all is the result so far, nil at the start. The argument of is the next mark. If
// they differ, the result is unfinished, because not all objects were written yet. Keep is set if one mark has it.
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
