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
	if _, back := gs.Fallbacks[g.key]; back || !g.strategy.Rollback || since.IsZero() || m.worker.Want == nil {
		return
	}
	noted := slices.IndexFunc(gs.Failing, func(f plan.Failing) bool { return f.Group == g.key && !f.Recalled })
	if noted >= 0 && !since.Before(gs.Failing[noted].Since) {
		return
	}
	f := gs.newFailing(g, m, m.probed.Sick)
	f.Since, f.Limit = since, g.strategy.Deadline
	if m.reporter != nil {
		f.Why = m.reporter.Key.String() + " reports it down"
	}
	for _, other := range g.members {
		if (len(other.changes) > 0 || other.outdated()) && gs.conditionOf(other).Health == rollout.Serving && other.worker.Have.Mark != nil {
			f.Serving = append(f.Serving, other.worker)
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

func (w worldReader) newFailing(g *group, m *member, why string) plan.Failing {
	noted := m
	for _, other := range g.members {
		if noted.spare && !other.spare && other.worker != nil && other.worker.Want != nil {
			noted = other
		}
	}
	return plan.Failing{Group: g.key, Member: m.worker.Key, Marked: noted.worker.Key, Digest: noted.worker.Want.Digest, Refused: w.InMark(noted.worker.Want), Why: why,
		Digests: w.Digests}
}

// recallFallback adds a group to gs.Failing if the mark of one of its members says that the group went back before. After a restart of the agent,
// only the mark shows that.
func (gs *Groups) recallFallback(g *group) {
	if _, back := gs.Fallbacks[g.key]; back || !g.strategy.Rollback {
		return
	}
	for _, m := range g.members {
		if m.worker == nil || m.worker.Want == nil || m.worker.Have == nil || m.worker.Have.Mark == nil || m.worker.Have.Mark.Refused == "" ||
			!gs.Applied(m.worker.Want, &kind.Mark{Applied: m.worker.Have.Mark.Refused}) {
			continue
		}
		f := gs.newFailing(g, m, "an earlier pass saw the failure")
		f.Recalled = true
		for _, other := range g.members {
			if other.worker != nil && other.worker.Have != nil && other.worker.Have.Mark != nil && (len(other.changes) > 0 || other.outdated()) {
				f.Serving = append(f.Serving, other.worker)
			}
		}
		if len(f.Serving) > 0 {
			gs.Failing = append(gs.Failing, f)
		}
		return
	}
}
