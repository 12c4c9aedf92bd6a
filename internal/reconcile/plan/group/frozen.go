package group

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// A group may freeze a member that differs from Git. That prevents the steps that interrupt the member, and few others. A change that is possible
// while the member runs is made on all members at once. A missing part is created, as in a group without frozen members.
//
//	a part of such a member                        then
//	--------------------------------------------   -----------------------------------------------------
//	is interrupted, or loses a disk, by a commit   stays, and is outdated
//	is interrupted, and no commit explains that    stays, and is reported as drift
//	differs in what can be changed in place        is changed
//	is missing                                     is created, unless only outdated objects would use it

// Freeze is why a member stays as it is.
type Freeze struct {
	Why cause.Cause
	// Outdated is true if the object that does the work of the member stays as it is, and a commit would change it.
	Outdated bool
}

// learnFrozen notes that a group freezes a member which would be interrupted otherwise, and reports whether that is new.
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

// frozenBy says why the group's strategy freezes the member at an index.
func (g *group) frozenBy(at int) cause.Cause {
	switch {
	case g.strategy.Type == rollout.OnDelete:
		return cause.Of(cause.LeftOnDelete, g.key)
	case at >= g.strategy.Partition:
		return cause.Of(cause.LeftPaused, g.key, g.strategy.PauseAfter)
	}
	return cause.Of(cause.LeftPartition, g.key, g.strategy.From)
}
