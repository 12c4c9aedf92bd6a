package group

import (
	"cmp"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Members that exist, need no change and do not serve are healed as the group's strategy says. A member that is gone is not healed, because
// the planner creates it like any missing object. Package rollout decides which members are healed, when and how. This file passes that
// decision to the planner. The caller remembers since when a member does not serve, and how it was healed (see [plan.Plan.Patients]).

// Cure is the way to heal a member, and the reason.
type Cure struct {
	rollout.Cure
	Condition string // the condition of the member, in words that change only if the condition changes
	Why       cause.Cause
}

// patient returns the condition of a member for the decision of package rollout about healing.
func (w worldReader) patient(m *member) rollout.Patient {
	if m.worker == nil || m.worker.Have == nil || !m.worker.Have.Phase.Usable() {
		return rollout.Patient{Away: true}
	}
	out := rollout.Patient{Down: m.worker.Have.Down, Silent: w.Sick[m.Member].Sure && m.worker.Have.Down == "", Accused: m.reporter != nil, Since: w.Now, Healed: w.Patients[m.Member].Healed}
	if before := w.Patients[m.Member]; before.Down == out.Down && before.Silent == out.Silent && !before.Since.IsZero() {
		out.Since = before.Since
	}
	return out
}

// learnHealing decides which members of a group are healed, and reports whether it added any to next. A member that is changed now needs no
// cure.
func (gs *Groups) learnHealing(g *group, next Learned) (news bool) {
	if _, done := gs.known.treated[g.key]; done || gs.Now.IsZero() || !g.heals() {
		return false
	}
	patients := make([]rollout.Patient, len(g.members))
	for i, m := range g.members {
		if patients[i] = gs.patient(m); m.spare {
			patients[i] = rollout.Patient{Away: patients[i].Away}
		}
		patients[i].Changes = len(m.changes) > 0 && g.decision.Verdicts[i] == rollout.Go && !gs.Healing
	}
	out := g.strategy.Heal.Treat(patients, g.strategy.Unavailable(g.replicas()), gs.Now)
	next.treated[g.key], g.unhealed = out.Held, out.Held
	for i, m := range g.members {
		if out.Cures[i] != "" {
			c := Cure{Cure: out.Cures[i], Condition: patients[i].Down, Why: cause.Of(cause.DownFor, patients[i].Down, gs.Now.Sub(patients[i].Since).Round(time.Second))}
			if patients[i].Silent {
				c.Condition, c.Why = "does not answer its probes", cause.Of(cause.Unanswering, gs.Sick[m.Member].Sick)
			}
			next.Cures[m.Member], news = c, true
		}
	}
	return news
}

// heals reports whether the group's strategy allows healing.
func (g *group) heals() bool { return g.strategy.Heal.PerHour > 0 }

// MarkWorkers marks the steps of objects that do the work of members, with the result of their probes. If the probes only suspect that a
// member does not serve, the pass checks the member again.
func (gs *Groups) MarkWorkers() {
	for i := range gs.steps {
		s := &gs.steps[i]
		if s.Part == nil || s.Surplus || !gs.DoesTheWork(s.Key, s.Part.Member) {
			continue
		}
		if s.IsWorker = true; s.Have == nil {
			continue
		}
		found := gs.Sick[s.Part.Member]
		s.Unanswering = found.Sure && s.Have.Down == ""
		if s.Sick = found.Sick; found.Suspect {
			s.AwaitServing(plan.Settling{})
		}
	}
}

// ExplainUnhealed adds to Sick, for members that do not serve, the reason why they are not healed.
func (gs *Groups) ExplainUnhealed() {
	for _, g := range gs.list {
		held := cmp.Or(gs.known.treated[g.key], g.unhealed) // from an earlier planner, or from this one
		for _, m := range g.members {
			if s := m.worker; held != "" && s != nil && s.Have != nil && !s.Healing && (s.Have.Down != "" || s.Sick != "") {
				if s.Sick != "" {
					s.Sick += "; "
				}
				s.Sick += held
			}
		}
	}
}
