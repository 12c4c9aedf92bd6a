package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/group"
)

// freezeOf returns why the member that an object is a part of is not changed; zero if it is not frozen.
func (p *planner) freezeOf(d *kind.Desired) (l group.Freeze, of *plan.Part) {
	if len(p.learned.Frozen) == 0 {
		return group.Freeze{}, nil
	}
	if of = p.PartOf(d); of != nil {
		l = p.learned.Frozen[of.Member]
	}
	return l, of
}

// freeze turns the step of a frozen member into Keep if the step would interrupt the member. A difference that no commit explains is still
// drift.
func (p *planner) freeze(s plan.Step, d *kind.Desired) (plan.Step, bool) {
	l, _ := p.freezeOf(d)
	if l.Why.IsZero() || !p.WaitsItsTurn(&s) {
		return s, false
	}
	s.Frozen, s.Drift = true, p.Applied(d, s.Have.Mark) && !p.Begun[d.Key]
	if !s.Drift {
		s.Uncounted = slices.DeleteFunc(s.Changes, func(c kind.Change) bool { return c.Field == kind.MarkField })
		s.Changes = nil
	}
	return s.WithAction(plan.Keep, l.Why), true
}

// leaveUnmade does not create an object that only frozen objects would use. If somebody deleted it, that is still drift.
func (p *planner) leaveUnmade(s plan.Step, d *kind.Desired, why cause.Cause) plan.Step {
	p.unmade[d.Key], s.Frozen, s.Lost = true, true, p.KnownIDs[s.Identity()]
	if s.Drift = s.Lost != ""; s.Drift {
		s.Changes = []kind.Change{{Field: "metadata.name", Have: "", Want: s.Key.Name}}
	}
	return s.WithAction(plan.Keep, why, cause.Of(cause.NotThere))
}

// unmadeFor returns why an object is not created, if only frozen objects would use it; zero for any other object.
func (p *planner) unmadeFor(d *kind.Desired) cause.Cause {
	l, of := p.freezeOf(d)
	if !l.Outdated || p.usedBeside(d.Key, of.Member) {
		return cause.Cause{}
	}
	if slices.ContainsFunc(d.Refs, func(ref kind.RefSpec) bool { return p.unmade[ref.Key] }) { // the object refers to one that is not created
		return l.Why
	}
	if works := p.workerOf(of.Member); works != nil && slices.ContainsFunc(works.Refs, func(ref kind.RefSpec) bool { return ref.Key == d.Key }) {
		return l.Why
	}
	return cause.Cause{}
}

// usedBeside reports whether an object outside of the member needs the given one, directly or through a part of the member. The object that
// does the work of the member does not count.
func (w worldReader) usedBeside(key, member manifest.Key) bool {
	for i := range w.Want {
		d := &w.Want[i]
		if d.Virtual || !slices.ContainsFunc(d.Refs, func(ref kind.RefSpec) bool { return ref.Key == key && !ref.Late }) {
			continue
		}
		if of := w.PartOf(d); of == nil || of.Member != member || !w.DoesTheWork(d.Key, member) && w.usedBeside(d.Key, member) {
			return true
		}
	}
	return false
}

// workerOf returns the manifest of the object that does the work of a member. If there is none, it returns the member's own manifest, or
// nil.
func (w worldReader) workerOf(member manifest.Key) *kind.Desired {
	if d := w.ByKey[w.WorkerOf(member)]; d != nil {
		return d
	}
	return w.ByKey[member]
}
