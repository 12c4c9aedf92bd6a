package group

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// noteFailing adds a group to gs.Failing if it should go back and has a state to go back to. It adds each group once, for the member that
// has not served for the longest time.
func (gs *Groups) noteFailing(g *group, m *member) {
	since := m.failing()
	if _, back := gs.Fallbacks[g.key]; back || !g.strategy.Rollback || since.IsZero() || m.works.Want == nil {
		return
	}
	noted := slices.IndexFunc(gs.Failing, func(f plan.Failing) bool { return f.Group == g.key && !f.Recalled })
	if noted >= 0 && !since.Before(gs.Failing[noted].Since) {
		return
	}
	f := gs.newFailing(g, m, m.found.Sick)
	f.Since, f.Limit = since, g.strategy.Deadline
	if m.accuser != nil {
		f.Why = m.accuser.Key.String() + " reports it down"
	}
	for _, other := range g.members {
		if (len(other.changes) > 0 || other.outdated()) && gs.conditionOf(other).Health == rollout.Serving && other.works.Have.Mark != nil {
			f.Serving = append(f.Serving, other.works)
		}
	}
	switch {
	case len(f.Serving) == 0:
	case noted >= 0:
		gs.Failing[noted] = f
	default:
		gs.Failing = append(gs.Failing, f)
	}
}

func (w given) newFailing(g *group, m *member, why string) plan.Failing {
	noted := m
	for _, other := range g.members {
		if noted.spare && !other.spare && other.works != nil && other.works.Want != nil {
			noted = other
		}
	}
	return plan.Failing{Group: g.key, Member: m.works.Key, Noted: noted.works.Key, Digest: noted.works.Want.Digest, Refused: w.InMark(noted.works.Want), Why: why,
		Digests: w.Digests}
}

// recall adds a group to gs.Failing if the mark of one of its members says that the group went back before. After a restart of the agent,
// only the mark shows that.
func (gs *Groups) recall(g *group) {
	if _, back := gs.Fallbacks[g.key]; back || !g.strategy.Rollback {
		return
	}
	for _, m := range g.members {
		if m.works == nil || m.works.Want == nil || m.works.Have == nil || m.works.Have.Mark == nil || m.works.Have.Mark.Refused == "" ||
			!gs.Applied(m.works.Want, &kind.Mark{Applied: m.works.Have.Mark.Refused}) {
			continue
		}
		f := gs.newFailing(g, m, "an earlier pass saw it")
		f.Recalled = true
		for _, other := range g.members {
			if other.works != nil && other.works.Have != nil && other.works.Have.Mark != nil && (len(other.changes) > 0 || other.outdated()) {
				f.Serving = append(f.Serving, other.works)
			}
		}
		if len(f.Serving) > 0 {
			gs.Failing = append(gs.Failing, f)
		}
		return
	}
}
