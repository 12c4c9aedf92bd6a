package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Some objects contain data that exists nowhere else (see [kind.Info.HoldsData]). A plan that would lose such data is held, no matter how
// few objects it destroys, unless the stack or the object allows the loss:
//
//	a step                                            loses data
//	------------------------------------------------  ----------
//	deletes or replaces an object of such a kind      yes
//	removes data of an object that stays (Destroys)   yes, unless the step is upkeep
//	overwrites data in a way that an annotation names no, because the annotation allows the loss
//	is about a surplus copy or an unused object       no, because the object has no data yet
//	is about a spare                                  no, because a spare exists only for a time

// weighLosses sets DataAtStake of the steps that lose data, and LossAllowed to the decision of the manifests.
func (p *planner) weighLosses() {
	for i := range p.steps {
		s := &p.steps[i]
		s.Proposed = len(s.Changes) > 0 && p.proposed(*s)
		if s.Surplus || s.Spare || s.Unused || !p.loses(s) {
			continue
		}
		s.DataAtStake, s.LossAllowed = true, p.lossAllowed(s)
	}
}

func (w worldReader) loses(s *plan.Step) bool {
	switch s.Action {
	case plan.Delete, plan.Recreate:
		return w.KindOf[s.Key.Kind].Info.HoldsData && !s.Have.Empty
	case plan.Update:
		return !s.IsUpkeep && slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Destroys })
	case plan.Keep, plan.Create, plan.Detach, plan.Wait, plan.Refuse:
	}
	return false
}

// lossAllowed returns whether manifests allow losing the data of an object; nil if none says it. The manifest may be the object's own, or
// that of the group that it was a part of. If both are gone, the mark of the object says what its last manifest allowed.
func (w worldReader) lossAllowed(s *plan.Step) *bool {
	if s.Want != nil {
		return s.Want.Options.DataLoss
	}
	if group := w.ByKey[s.Within]; group != nil && group.Options.DataLoss != nil {
		return group.Options.DataLoss
	}
	if s.Have.Mark != nil && s.Have.Mark.Loses {
		return &s.Have.Mark.Loses
	}
	return nil
}

// remembersLoss reports whether the mark of an object has to record that its data may be lost.
func (w worldReader) remembersLoss(d *kind.Desired) bool {
	if may := d.Options.DataLoss; may == nil || !*may || d.Options.NoPrune || d.Options.Detach {
		return false
	}
	info := w.KindOf[d.Key.Kind].Info
	return info.HoldsData && !info.FixedMark
}

// consents reports whether the manifest of an object's group says how members are replaced, which allows their replacement. A strategy that
// a built-in kind sets for its machines does not count, because no person has written it.
func (w worldReader) consents(d *kind.Desired) bool {
	part := w.PartOf(d)
	return part != nil && w.ByKey[part.Group].Rollout != nil && w.ByKey[part.Group].Rollout.Consents && w.WrittenByPeople(part.Group)
}

// losses sets the Loss of the steps that delete, replace or change objects.
func (p *planner) losses() {
	for i, s := range p.steps {
		switch {
		case s.Unused:
		case s.Action.Destroys() && !s.Surplus:
			p.steps[i].Loss = p.KindOf[s.Key.Kind].Info.Loss
		case s.Action == plan.Update:
			for _, c := range s.Changes {
				if c.Loss != "" {
					p.steps[i].Loss = append(p.steps[i].Loss, c.Loss)
				}
			}
		}
	}
}
