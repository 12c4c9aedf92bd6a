package engine

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// heal repairs members that exist and do not serve while the plan is held. They must not stay down only because an approval is missing. No
// other step is carried out, and a repaired member keeps its present manifest. A deleted member is not repaired, because its creation is a
// step of the held plan. After the repairs, the held plan is made again.
func (r *run) heal(ctx, stepCtx context.Context) {
	approved := r.rev.Approved
	r.rev.healing = true
	r.planRound(ctx)
	if allowed := r.round.plan.OnlyHealing().Apply(guard.Brake(r.engine.Limits, approved)); !allowed.Stopped() && allowed.Summary().Writes() > 0 {
		r.permit(allowed)
		r.loop(ctx, stepCtx)
	}
	r.rev.healing = false
	r.planRound(ctx)
	r.pass.Last = r.round.plan.Apply(guard.Brake(r.engine.Limits, approved)).Recorded()
	if len(r.pass.Results) == 0 {
		return
	}
	for _, s := range r.pass.First.Steps {
		if s.Drift && r.histories[s.Identity()] != nil {
			r.pass.LateDrift = append(r.pass.LateDrift, s)
		}
	}
	r.pass.First = r.pass.Last.WithTraces(r.engine.past().Trace) // people approve this plan by its own hash
}

// heals reports whether a step repairs a member, or creates an object that a repair of this pass has deleted.
func (r *run) heals(s *plan.Step) bool {
	if _, heals := s.Heals(); heals {
		return true
	}
	t := r.histories[s.Identity()]
	return s.Action == plan.Create && t != nil && t.times(plan.Recreate) > 0
}
