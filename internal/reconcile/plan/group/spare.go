package group

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// learnSpares records in next how many spares a group needs, and reports whether the number is new. A spare that is no longer needed is
// drained before it is deleted, like a member that is interrupted.
func (gs *Groups) learnSpares(g *group, next Learned) (news bool) {
	needed := g.decision.Spares
	if g.unseen != (manifest.Key{}) {
		needed = max(needed, gs.known.Spares[g.key])
	}
	if gs.Optional == nil || gs.known.settledSpares[g.key] || needed == gs.known.Spares[g.key] {
		return false
	}
	var unneeded []*member
	pending := false
	for i, m := range g.members {
		if m.spare && g.spareNumber(i) >= needed {
			unneeded = append(unneeded, m)
			pending = pending || !g.drained(m, gs.Now, next.Traffic[m.Member] != kind.TrafficNormal)
		}
	}
	if !pending {
		next.Spares[g.key], next.settledSpares[g.key] = needed, true
		return true
	}
	for _, m := range unneeded { // a spare that was drained gets no traffic again while the other spares are drained
		if next.Traffic[m.Member] == kind.TrafficNormal && m.runs() {
			next.limitTraffic(m, kind.TrafficEnds)
			news = true
		}
	}
	return news
}

// spareNumber returns the number of a spare among the spares of its group, counted from 0. The argument at is its index among the members.
func (g *group) spareNumber(at int) (n int) {
	for _, m := range g.members[:at] {
		if m.spare {
			n++
		}
	}
	return n
}

// replicas returns the number of members, not counting spares.
func (g *group) replicas() int { return len(g.members) - g.spareNumber(len(g.members)) }

// awaitSpares makes the pass plan again when unneeded spares have been drained, or when the members that spares stand in for have served
// for long enough.
func (gs *Groups) awaitSpares(g *group) {
	if at := g.decision.Awaited; at >= 0 && gs.known.Spares[g.key] > 0 {
		gs.awaited(g, g.members[at], g.decision.Until)
	}
	for _, m := range g.members {
		if !m.spare || gs.known.Traffic[m.Member] != kind.TrafficEnds || len(m.changes) > 0 {
			continue
		}
		for _, f := range m.fronts {
			if until := f.since.Add(g.strategy.Drain); !f.since.IsZero() && until.After(gs.Now) {
				f.step.AwaitServing(plan.Settling{Until: until})
			}
		}
	}
}
