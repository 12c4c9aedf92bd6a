package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// finish gives every step what it takes to know all the others.
func (p *planner) finish() plan.Plan {
	p.renamings()
	blocked := p.block()
	p.groups.InTurn()
	p.tellForecasts(p.groups.Forecasts())
	p.awaitObstacles(p.untie(blocked))
	p.losses()
	p.bind()
	p.carryOn()
	p.nameIDs()
	p.groups.Linger()
	p.weighLosses()
	p.awaitUsers()
	p.groups.TellSick()
	p.groups.TellHeld()
	p.tellLocked()
	p.tellCrowded()
	closed := p.closed()
	var back []plan.Fallback
	for _, w := range p.workloads {
		if f, ok := p.Fallbacks[w.Key]; ok {
			back = append(back, f)
		}
	}
	return plan.Plan{At: p.Now, Outlook: plan.Outlook{Seen: p.groups.SeenNow, Failing: p.groups.Failing, Fallbacks: back}, Stack: p.Stack, Commit: p.Commit, Steps: p.steps, Workloads: p.workloads, Owned: p.Owned, OwnedKinds: p.OwnedKinds,
		Unlisted: append(p.unlisted(), closed...), Closed: len(closed)}
}
