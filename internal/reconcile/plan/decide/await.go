package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// await lists the objects that must be ready before the step can run. It does not change the action, because a plan shows the actions and
// the engine decides when each is carried out.
func (p *planner) await(s plan.Step, d *kind.Desired) plan.Step {
	for _, ref := range d.Refs {
		target := p.ByKey[ref.Key]
		if target == nil || slices.Contains(s.Awaits, ref.Key) || ref.Late && s.Action != plan.Update {
			continue
		}
		if !p.found.Ready[target] || p.found.GetsNewID[ref.Key] && s.Action == plan.Create {
			s.Awaits = append(s.Awaits, ref.Key)
		}
	}
	return s
}
