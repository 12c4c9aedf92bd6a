package source

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/source/moves"
)

// doubt takes note of a file that a person has to merge, and says why. It is one
// also in what both sides began with: what git would make of that is not known.
func (m *merger) doubt(path, why string, args ...any) {
	if len(m.conflicts) < maxConflicts {
		m.conflicts = append(m.conflicts, show(path)+" ("+fmt.Sprintf(why, args...)+")")
	}
}

// whereTo says where a file was moved, as far as it is known.
func whereTo(g moves.Guess) string {
	switch {
	case g.Sure:
		return "moved to " + show(g.Places[0])
	case len(g.Places) == 1:
		return "perhaps moved to " + show(g.Places[0])
	case len(g.Places) > 1:
		return fmt.Sprintf("perhaps moved to %s or %d others", show(g.Places[0]), len(g.Places)-1)
	}
	return "perhaps moved; there is too much to compare"
}

// show is a path as it can be printed.
func show(path string) string {
	for part := range strings.SplitSeq(path, "/") {
		if nameProblem(part) != "" {
			return strconv.Quote(clip(path, maxNameShown))
		}
	}
	return path
}
