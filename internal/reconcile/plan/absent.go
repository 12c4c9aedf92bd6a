package plan

import "github.com/stackreeve/stackreeve/internal/reconcile/kind"

const waitedFor = "is not in the repository; what refers to it waits"

// decideAbsent makes the step for what manifests refer to and none describes: they wait
// for it. What the stack made of it while there was a manifest stays as it is, and so does
// what refers to it.
func (p *planner) decideAbsent(d *kind.Desired) Step {
	s := Step{Key: d.Key, Origin: d.Origin, want: d, Error: true, cause: reasonProgressing}
	if errs := p.Have[d.Key.Kind].Errs(); len(errs) > 0 {
		return s.withAction(Wait, errs[0].Error())
	}
	if p.index[d.Key.Kind] == nil { // not of the cloud, such as a Secret
		return s.withAction(Wait, waitedFor)
	}
	ch := p.settle(d)
	p.besides(d, ch)
	switch {
	case ch.refusal != "":
		return s.withAction(Refuse, ch.refusal)
	case ch.have == nil || ch.have.Phase == kind.Deleting:
		return s.withAction(Wait, waitedFor)
	}
	s.have, s.locked, s.cause = ch.have, true, ""
	p.live[d.Key], p.ready[d.Key] = s.have, s.have.Phase.Usable()
	return s.withAction(Refuse, "no longer in the repository, and cannot go while others refer to it")
}
