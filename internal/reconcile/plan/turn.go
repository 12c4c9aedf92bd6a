package plan

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
)

// WaitFor has a step wait for others, and says until when.
func (s *Step) WaitFor(turn cause.Cause, keys ...manifest.Key) {
	s.Awaits = append(s.Awaits, keys...)
	if !s.Turn.IsZero() {
		s.Causes = s.Because().And(s.Turn)
	}
	s.Turn = turn
}

// Part is where an object belongs that is, or belongs to, a member of a group.
type Part struct {
	Group, Member manifest.Key
	// Away is how many members of the group may be away at once, or are tried first, when they are replaced; 0 where the
	// group does not say how that is done.
	Away int
}
