package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// decideAbsent makes the step for an object that manifests refer to and that no manifest describes. The objects that refer to it wait for
// it. If the stack created the object when it had a manifest, the object is not changed, and neither are the objects that refer to it.
func (p *planner) decideAbsent(d *kind.Desired) plan.Step {
	s := plan.Step{Key: d.Key, Source: plan.Source{Origin: d.Origin}, Object: plan.Object{Want: d, Obstacle: plan.NotYet}, Error: true}
	if errs := p.Have[d.Key.Kind].Errs(); len(errs) > 0 {
		return s.WithAction(plan.Wait, cause.Of(cause.Unlisted, errs[0].Error()))
	}
	if p.Cloud.Collection(d.Key.Kind) == nil { // the kind has no objects in the cloud; an example is a Secret
		return s.WithAction(plan.Wait, cause.Of(cause.NotDescribed))
	}
	ch := p.identify(d)
	p.surplusSteps(d, ch)
	switch {
	case !ch.refusal.IsZero():
		return s.WithAction(plan.Refuse, ch.refusal)
	case ch.have == nil || ch.have.Phase == kind.Deleting:
		return s.WithAction(plan.Wait, cause.Of(cause.NotDescribed))
	}
	s.Have, s.InUse, s.Obstacle = ch.have, true, ""
	p.noteFound(d, s.Have)
	return s.WithAction(plan.Refuse, cause.Of(cause.GoneAnd, cause.Of(cause.Gone), cause.Of(cause.StillReferred)))
}
