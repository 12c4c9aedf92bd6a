package plan

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
)

// WaitFor makes a step wait for the objects with the keys. turn says why.
func (s *Step) WaitFor(turn cause.Cause, keys ...manifest.Key) {
	s.Awaits = append(s.Awaits, keys...)
	if !s.Turn.IsZero() {
		s.Causes = s.CauseList().And(s.Turn)
	}
	s.Turn = turn
}

// Part says to which group and member an object belongs. The object is the member or a part of it.
type Part struct {
	Group, Member manifest.Key
	// AtOnce is how many members of the group may be away at the same time while they are replaced, or how many are replaced first. It is 0
	// if the group does not say how its members are replaced.
	AtOnce int
}
