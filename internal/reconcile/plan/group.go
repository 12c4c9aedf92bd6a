package plan

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Part is where an object belongs that is, or belongs to, a member of a group.
type Part struct {
	Group, Member manifest.Key
	// away is how many members of the group may be away at once, or are tried first, when they are replaced; 0 where the
	// group does not say how that is done.
	Away int
}
