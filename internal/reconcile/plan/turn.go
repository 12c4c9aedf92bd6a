package plan

import (
	"cmp"

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

// AwaitWell makes other members wait until the object of the step works. If it is called several times, the earliest Until counts, so that
// the object is checked again as early as possible. The other fields that by leaves empty stay as they were.
func (s *Step) AwaitWell(by Settling) {
	if s.Settles == nil {
		s.Settles = &by
		return
	}
	before := *s.Settles
	if before.Until.IsZero() || !by.Until.IsZero() && before.Until.Before(by.Until) {
		by.Until = before.Until
	}
	if by.Member == (manifest.Key{}) {
		by.Member = before.Member
	}
	by.Patience, by.Failing = cmp.Or(by.Patience, before.Patience), cmp.Or(by.Failing, before.Failing)
	s.Settles = &by
}

// Part says to which group and member an object belongs. The object is the member or a part of it.
type Part struct {
	Group, Member manifest.Key
	// Away is how many members of the group may be away at the same time while they are replaced, or how many are replaced first. It is 0
	// if the group does not say how its members are replaced.
	Away int
}
