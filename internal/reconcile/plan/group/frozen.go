package group

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// A group may leave a member as it is although that is not as wanted. That holds for the steps that interrupt it, and for
// little else: what can be changed while it runs is changed on all members at once, and what is missing is made, as in a
// group that leaves nobody.
//
//	a part of such a member                        then
//	--------------------------------------------   -----------------------------------------------
//	is interrupted, or loses a disk, by a commit   left, and outdated
//	is interrupted, and no commit explains that    left, and reported as drift
//	differs in what can be changed in place        changed
//	is missing                                     made, unless only what is outdated would use it

// Freeze is why a member stays as it is.
type Freeze struct {
	Why cause.Cause
	// Outdated is true where what does the work of the member is among that which stays, and a commit is the reason.
	Outdated bool
}

// learnFrozen notes that a group leaves a member as it is that would be interrupted otherwise, and reports whether that was
// not known before.
func (gs *Groups) learnFrozen(g *group, at int, next Learned) (news bool) {
	m := g.members[at]
	if g.decision.Verdicts[at] != rollout.Leave || !slices.ContainsFunc(m.steps, gs.WaitsItsTurn) || !gs.before.Frozen[m.Member].Why.IsZero() {
		return false
	}
	next.Frozen[m.Member] = Freeze{gs.frozenFor(g, at), m.works != nil && gs.WaitsItsTurn(m.works) && !gs.Applied(m.works.Want, m.works.Have.Mark)}
	return true
}

// frozenFor says why the member at an index stays as it is.
func (w given) frozenFor(g *group, at int) cause.Cause {
	if why := w.turnOf(g.members[at]).Stay; why != "" {
		return cause.Of(cause.LeftFor, why)
	}
	return g.frozenBy(at)
}

// frozenBy says why the group's strategy leaves a member as it is.
func (g *group) frozenBy(at int) cause.Cause {
	switch {
	case g.strategy.Type == rollout.OnDelete:
		return cause.Of(cause.LeftOnDelete, g.key)
	case at >= g.strategy.Partition:
		return cause.Of(cause.LeftPaused, g.key, g.strategy.PauseAfter)
	}
	return cause.Of(cause.LeftPartition, g.key, g.strategy.From)
}
