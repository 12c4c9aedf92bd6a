package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Some objects hold data that exists nowhere else (see [kind.Info.HoldsData]). A plan that would lose it is held, however small its share of the
// stack is, unless the stack or the object says otherwise:
//
//	a step                                            loses data
//	------------------------------------------------  ----------
//	deletes or replaces an object of such a kind      yes
//	takes data from an object that stays (Destroys)   yes, except by upkeep
//	overwrites it by a way that its annotation names  no: the annotation says so
//	is about a surplus copy, a spare or an unused one no: it is empty, or only there for a while

// weighLosses notes which steps lose data, and what manifests say about that.
func (p *planner) weighLosses() {
	for i := range p.steps {
		s := &p.steps[i]
		if s.Surplus || s.Spare || s.Unused || !p.loses(s) {
			continue
		}
		s.DataAtStake, s.LossAllowed = true, p.lossAllowed(s)
	}
}

func (w given) loses(s *plan.Step) bool {
	switch s.Action {
	case plan.Delete, plan.Recreate:
		return w.KindOf[s.Key.Kind].Info.HoldsData && !s.Have.Empty
	case plan.Update:
		return !s.Tends && slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Destroys })
	case plan.Keep, plan.Create, plan.Detach, plan.Wait, plan.Refuse:
	}
	return false
}

// lossAllowed is what manifests say about losing the data of an object; nil where none says anything. The manifest may be the object's own or that of
// the group that it was a part of. The mark of an object remembers its last manifest.
func (w given) lossAllowed(s *plan.Step) *bool {
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

// remembersLoss reports whether the mark of an object can remember that its data may be lost.
func (w given) remembersLoss(d *kind.Desired) bool {
	if may := d.Options.DataLoss; may == nil || !*may || d.Options.NoPrune || d.Options.Detach {
		return false
	}
	info := w.KindOf[d.Key.Kind].Info
	return info.HoldsData && !info.FixedMark
}

// consents reports whether the group of an object says how its members are replaced, and so allows it. A strategy that a built-in kind sets for its
// own machines does not count: no person has written it.
func (w given) consents(d *kind.Desired) bool {
	part := w.PartOf(d)
	return part != nil && w.ByKey[part.Group].Rollout != nil && w.ByKey[part.Group].Rollout.Consents && w.Written(part.Group)
}

// losses says what is lost with the objects that are deleted or replaced, and what changed objects lose.
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
