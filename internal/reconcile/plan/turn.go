package plan

import (
	"cmp"

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

// AwaitWell has others wait until the object of a step is well. Of several reasons the one counts that has it looked at again soonest; what one knows of
// whom it is about, and how long they wait, the others keep.
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

// Part is where an object belongs that is, or belongs to, a member of a group.
type Part struct {
	Group, Member manifest.Key
	// Away is how many members of the group may be away at once, or are tried first, when they are replaced; 0 where the
	// group does not say how that is done.
	Away int
}
