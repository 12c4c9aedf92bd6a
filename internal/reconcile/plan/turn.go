package plan

import (
	"cmp"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
)

// WaitFor makes a step wait for others, and notes what it waits for.
func (s *Step) WaitFor(turn cause.Cause, keys ...manifest.Key) {
	s.Awaits = append(s.Awaits, keys...)
	if !s.Turn.IsZero() {
		s.Causes = s.Because().And(s.Turn)
	}
	s.Turn = turn
}

// AwaitWell makes others wait until the object of a step is well. If there are several reasons, the one counts by which the object is looked at again
// soonest. The member that it is about, and how long others wait, are kept from any of the reasons.
func (s *Step) AwaitWell(by Settling) {
	if s.Settles == nil {
		s.Settles = &by
		return
	}
	before := *s.Settles
	if before.Until.IsZero() || !by.Until.IsZero() && before.Until.Before(by.Until) {
		by.Until = before.Until
	}
	if by.Whom == (manifest.Key{}) {
		by.Whom = before.Whom
	}
	by.Patience, by.Failing = cmp.Or(by.Patience, before.Patience), cmp.Or(by.Failing, before.Failing)
	s.Settles = &by
}

// Part says to which group and member an object belongs. The object is the member or a part of it.
type Part struct {
	Group, Member manifest.Key
	// Away is how many members of the group may be away at once, or are tried first, when they are replaced. It is 0 where the group does not say how
	// they are replaced.
	Away int
}
