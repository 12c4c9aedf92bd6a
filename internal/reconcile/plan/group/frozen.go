package group

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// A group may freeze a member that differs from Git. Then steps that interrupt the member, and a few other steps, are not carried out. A
// change that interrupts nobody is still made on all members at the same time. A missing part is created as in a group without frozen
// members.
//
//	a part of a frozen member                                       the result
//	-------------------------------------------------------------   ----------------------------------------------------------
//	a commit would interrupt the part, or make it lose a disk       the part is not changed, and counts as outdated
//	a step without a commit as its reason would interrupt the part  the part is not changed, and is reported as drift
//	the part differs in a field that can be changed in place        the part is changed
//	the part is missing                                             the part is created, unless only outdated objects would use it

// Freeze says why a member is not changed.
type Freeze struct {
	Why cause.Cause
	// Outdated is true if a commit would change the object that does the work of the member.
	Outdated bool
}

// learnFrozen adds a member to next.Frozen if the group freezes it and it would otherwise be interrupted. It reports whether it added
// one.
func (gs *Groups) learnFrozen(g *group, at int, next Learned) (news bool) {
	m := g.members[at]
	if g.decision.Verdicts[at] != rollout.Leave || !slices.ContainsFunc(m.steps, gs.WaitsItsTurn) || !gs.known.Frozen[m.Member].Why.IsZero() {
		return false
	}
	next.Frozen[m.Member] = Freeze{gs.frozenFor(g, at), m.worker != nil && gs.WaitsItsTurn(m.worker) && !gs.Applied(m.worker.Want, m.worker.Have.Mark)}
	return true
}

// frozenFor says why the member at an index is not changed.
func (w worldReader) frozenFor(g *group, at int) cause.Cause {
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
