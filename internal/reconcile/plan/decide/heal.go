package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/group"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// cureOf returns the cure for an object that does the work of a sick member; false for any other
// object.
func (p *planner) cureOf(d *kind.Desired) (group.Cure, bool) {
	if len(p.learned.Cures) == 0 {
		return group.Cure{}, false
	}
	part := p.PartOf(d)
	if part == nil {
		return group.Cure{}, false
	}
	c, sick := p.learned.Cures[part.Member]
	return c, sick && p.DoesTheWork(d.Key, part.Member)
}

// heal makes the step that heals a member. s is the step of the object that does the member's work.
func (p *planner) heal(s plan.Step, d *kind.Desired, c group.Cure) plan.Step {
	s.Drift, s.Healing = true, true
	if c.Cure == rollout.Replace && p.Healing && !p.Applied(d, s.Have.Mark) {
		s.Healing = false // nobody has approved the manifest that the new object would have
		return s.WithAction(plan.Wait, c.Why, cause.Of(cause.HealsOnApproval))
	}
	if c.Cure == rollout.Replace {
		return p.recreate(s, d, c.Why)
	}
	if s.Have.Mark != nil { // the cure does not apply the present template, so the mark does not change
		view := *s.Viewed
		view.Mark.Applied, view.Mark.Refused = s.Have.Mark.Applied, s.Have.Mark.Refused
		s.Viewed = &view
	}
	way := kind.Way{Name: string(c.Cure)}
	ways := p.KindOf[d.Key.Kind].Cures
	if i := slices.IndexFunc(ways, func(w kind.Way) bool { return w.Name == way.Name }); i >= 0 {
		way = ways[i]
	}
	s.Changes = []kind.Change{{Field: plan.HealthField, Have: c.Condition, Want: "serves", Disruption: way.Disruption, Loss: way.Loss, Way: way.Name}}
	return s.WithAction(plan.Update, c.Why)
}
