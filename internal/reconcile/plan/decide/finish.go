package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// finish sets the fields of each step that depend on the other steps, and returns the plan.
func (p *planner) finish() plan.Plan {
	p.awaitEachOther()
	p.consent()
	p.addRemarks()
	closed := p.loginMessages()
	var back []plan.Fallback
	for _, w := range p.workloads {
		if f, ok := p.Fallbacks[w.Key]; ok {
			back = append(back, f)
		}
	}
	return plan.Plan{At: p.Now, Outlook: plan.Outlook{Seen: p.groups.SeenNow, Failing: p.groups.Failing, Fallbacks: back}, Stack: p.Stack, Commit: p.Commit, Steps: p.steps, Workloads: p.workloads, Stock: p.Stock,
		Lists: plan.Lists{Unlisted: append(p.unlistedMessages(), closed...), Closed: len(closed), Refused: p.refusedMessages()}}
}

// awaitEachOther sets for each step the other steps that it has to wait for. awaitUsers runs late, because a step that waits for its turn
// need not wait for unlisted users, too.
func (p *planner) awaitEachOther() {
	p.renamings()
	blocked := p.block()
	p.groups.InTurn()
	p.noteForecasts(p.groups.Forecasts())
	p.awaitObstacles(p.untie(blocked))
	p.groups.DelayFormerMembers()
	p.awaitUsers()
	p.groups.MarkWorkers()
}

// consent sets the [plan.Consent] of each step: the checksums that people approve, and whether people have approved or allowed the step
// before.
func (p *planner) consent() {
	p.bind()
	p.continueRollouts()
	p.weighLosses()
}

// addRemarks adds the parts of the steps that only people read.
func (p *planner) addRemarks() {
	p.losses()
	p.nameIDs()
	p.groups.ExplainUnhealed()
	p.noteLocked()
	p.markCrowded()
}
