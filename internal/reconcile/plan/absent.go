package plan

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// decideAbsent makes the step for what manifests refer to and none describes: they wait
// for it. What the stack made of it while there was a manifest stays as it is, and so does
// what refers to it.
func (p *planner) decideAbsent(d *kind.Desired) Step {
	s := Step{Key: d.Key, Origin: d.Origin, object: object{want: d, obstacle: NotYet}, Error: true}
	if errs := p.Have[d.Key.Kind].Errs(); len(errs) > 0 {
		return s.withAction(Wait, cause.Of(cause.Unlisted, errs[0].Error()))
	}
	if p.cloud.Of(d.Key.Kind) == nil { // not of the cloud, such as a Secret
		return s.withAction(Wait, cause.Of(cause.NotDescribed))
	}
	ch := p.settle(d)
	p.besides(d, ch)
	switch {
	case !ch.refusal.IsZero():
		return s.withAction(Refuse, ch.refusal)
	case ch.have == nil || ch.have.Phase == kind.Deleting:
		return s.withAction(Wait, cause.Of(cause.NotDescribed))
	}
	s.have, s.locked, s.obstacle = ch.have, true, ""
	p.live[d.Key], p.ready[d.Key] = s.have, s.have.Phase.Usable()
	return s.withAction(Refuse, cause.Of(cause.GoneAnd, cause.Of(cause.Gone), cause.Of(cause.StillReferred)))
}
