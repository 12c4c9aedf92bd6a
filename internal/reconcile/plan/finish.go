package plan

// finish gives every step what it takes to know all the others.
func (p *planner) finish() Plan {
	p.renamings()
	blocked := p.block()
	p.groups.inTurn()
	p.tellForecasts(p.groups)
	p.awaitObstacles(p.untie(blocked))
	p.losses()
	p.bind()
	p.carryOn()
	p.nameIDs()
	p.groups.linger()
	p.weighLosses()
	p.awaitUsers()
	p.groups.tellSick()
	p.groups.tellHeld()
	p.tellLocked()
	p.tellCrowded()
	closed := p.closed()
	var back []Fallback
	for _, w := range p.workloads {
		if f, ok := p.Fallbacks[w.Key]; ok {
			back = append(back, f)
		}
	}
	return Plan{At: p.Now, seen: p.groups.seen, failing: p.groups.failing, fallbacks: back, Stack: p.Stack, Commit: p.Commit, Steps: p.steps, Workloads: p.workloads, Owned: p.owned, OwnedKinds: p.ownedKinds,
		Unlisted: append(p.unlisted(), closed...), Closed: len(closed)}
}
