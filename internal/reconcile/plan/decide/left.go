package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/group"
)

// leftAs is why the member that an object is a part of stays as it is; zero when it does not.
func (p *planner) leftAs(d *kind.Desired) (l group.Leaving, of *plan.Part) {
	if len(p.learned.Left) == 0 {
		return group.Leaving{}, nil
	}
	if of = p.PartOf(d); of != nil {
		l = p.learned.Left[of.Member]
	}
	return l, of
}

// leave has an object that would be interrupted stay as it is where its group leaves the member. What no commit explains
// is drift all the same.
func (p *planner) leave(s plan.Step, d *kind.Desired) (plan.Step, bool) {
	l, _ := p.leftAs(d)
	if l.Why.IsZero() || !p.WaitsItsTurn(&s) {
		return s, false
	}
	s.Left, s.Drift = true, p.Applied(d, s.Have.Mark) && !p.Begun[d.Key]
	if !s.Drift {
		s.Aside = slices.DeleteFunc(s.Changes, func(c kind.Change) bool { return c.Field == kind.MarkField })
		s.Changes = nil
	}
	return s.WithAction(plan.Keep, l.Why), true
}

// leaveOut has an object not made that only what is left as it is would use. One that somebody has deleted is drift all the same.
func (p *planner) leaveOut(s plan.Step, d *kind.Desired, why cause.Cause) plan.Step {
	p.unmade[d.Key], s.Left, s.Lost = true, true, p.Lost[s.Identity()]
	if s.Drift = s.Lost != ""; s.Drift {
		s.Changes = []kind.Change{{Field: "metadata.name", Have: "", Want: s.Key.Name}}
	}
	return s.WithAction(plan.Keep, why, cause.Of(cause.NotThere))
}

// leftOut says why an object is not made: only what is left as it is would use it.
func (p *planner) leftOut(d *kind.Desired) cause.Cause {
	l, of := p.leftAs(d)
	if !l.Outdated {
		return cause.Cause{}
	}
	if slices.ContainsFunc(d.Refs, func(ref kind.RefSpec) bool { return p.unmade[ref.Key] }) { // what belongs to such a one
		return l.Why
	}
	if works := p.worksOfMember(of.Member); works != nil && slices.ContainsFunc(works.Refs, func(ref kind.RefSpec) bool { return ref.Key == d.Key }) {
		return l.Why
	}
	return cause.Cause{}
}

// worksOfMember is what does the work of a member: the object of its name and the kind that does, or itself; nil for none.
func (w given) worksOfMember(member manifest.Key) *kind.Desired {
	works := w.WorkerOf(member.Kind)
	if d := w.ByKey[manifest.Key{Group: w.APIGroups[works], Kind: works, Namespace: member.Namespace, Name: member.Name}]; d != nil {
		return d
	}
	return w.ByKey[member]
}

// trafficOf is what may be sent to an object that is, or is of, a member of a group.
func (p *planner) trafficOf(key manifest.Key) kind.Traffic {
	if len(p.learned.Traffic) == 0 {
		return kind.Flows
	}
	if part := p.PartOf(p.ByKey[key]); part != nil {
		return p.learned.Traffic[part.Member]
	}
	return kind.Flows
}

// standsIn reports whether something that answers to a token stands in for others.
func (p *planner) standsIn(token string) bool {
	for live := range p.learned.Standing {
		if live.ID == token || slices.Contains(live.Tokens, token) {
			return true
		}
	}
	return false
}
