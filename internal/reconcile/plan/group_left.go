package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// A group may leave a member as it is although that is not as wanted. That holds for the steps that interrupt it, and for
// little else: what can be changed while it runs is changed on all members at once, and what is missing is made, as in a
// group that leaves nobody.
//
//	a part of such a member                        then
//	--------------------------------------------   -----------------------------------------------
//	is interrupted, or loses a disk, by a commit   left, and outdated
//	is interrupted, and no commit explains that    left, and reported as drift
//	differs in what can be changed in place        changed
//	is missing                                     made, unless only what is outdated would use it

// leaving is why a member stays as it is.
type leaving struct {
	why cause.Cause
	// outdated is true where what does the work of the member is among that which stays, and a commit is the reason.
	outdated bool
}

// learnLeft notes that a group leaves a member as it is that would be interrupted otherwise, and reports whether that was
// not known before.
func (gs *groups) learnLeft(g *group, at int, next learned) (news bool) {
	m := g.members[at]
	if g.decision.Verdicts[at] != rollout.Leave || !slices.ContainsFunc(m.steps, gs.waitsItsTurn) || !gs.left[m.member].why.IsZero() {
		return false
	}
	next.left[m.member] = leaving{gs.leavesFor(g, at), m.works != nil && gs.waitsItsTurn(m.works) && !gs.applied(m.works.want, m.works.have.Mark)}
	return true
}

// waitsItsTurn reports whether changes are such that a group may leave a member without them: they interrupt what works, or a
// commit has it lose something, such as a disk.
func (w *world) waitsItsTurn(s *Step) bool {
	if s.have == nil || !s.have.Phase.Usable() || s.heals {
		return false
	}
	loses := slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Loss != "" })
	return worst(s.Changes) >= kind.Reboot || loses && !w.applied(s.want, s.have.Mark)
}

// leavesFor says why the member at an index stays as it is.
func (w *world) leavesFor(g *group, at int) cause.Cause {
	if why := w.turnOf(g.members[at]).Stay; why != "" {
		return cause.Of(cause.LeftFor, why)
	}
	return g.leaves(at)
}

// leaves says why the group's strategy leaves a member as it is.
func (g *group) leaves(at int) cause.Cause {
	switch {
	case g.strategy.Type == rollout.OnDelete:
		return cause.Of(cause.LeftOnDelete, g.key)
	case at >= g.strategy.Partition:
		return cause.Of(cause.LeftPaused, g.key, g.strategy.PauseAfter)
	}
	return cause.Of(cause.LeftPartition, g.key, g.strategy.From)
}

// leftAs is why the member that an object is a part of stays as it is; zero when it does not.
func (p *planner) leftAs(d *kind.Desired) (l leaving, of *part) {
	if len(p.left) == 0 {
		return leaving{}, nil
	}
	if of = p.partOf(d); of != nil {
		l = p.left[of.member]
	}
	return l, of
}

// leave has an object that would be interrupted stay as it is where its group leaves the member. What no commit explains
// is drift all the same.
func (p *planner) leave(s Step, d *kind.Desired) (Step, bool) {
	l, _ := p.leftAs(d)
	if l.why.IsZero() || !p.waitsItsTurn(&s) {
		return s, false
	}
	s.left, s.Drift = true, p.applied(d, s.have.Mark) && !p.Begun[d.Key]
	if !s.Drift {
		s.aside = slices.DeleteFunc(s.Changes, func(c kind.Change) bool { return c.Field == kind.MarkField })
		s.Changes = nil
	}
	return s.withAction(Keep, l.why), true
}

// leaveOut has an object not made that only what is left as it is would use. One that somebody has deleted is drift all the same.
func (p *planner) leaveOut(s Step, d *kind.Desired, why cause.Cause) Step {
	p.unmade[d.Key], s.left, s.lost = true, true, p.Lost[s.Identity()]
	if s.Drift = s.lost != ""; s.Drift {
		s.Changes = []kind.Change{{Field: "metadata.name", Have: "", Want: s.Key.Name}}
	}
	return s.withAction(Keep, why, cause.Of(cause.NotThere))
}

// leftOut says why an object is not made: only what is left as it is would use it.
func (p *planner) leftOut(d *kind.Desired) cause.Cause {
	l, of := p.leftAs(d)
	if !l.outdated {
		return cause.Cause{}
	}
	if slices.ContainsFunc(d.Refs, func(ref kind.RefSpec) bool { return p.unmade[ref.Key] }) { // what belongs to such a one
		return l.why
	}
	if works := p.worksOfMember(of.member); works != nil && slices.ContainsFunc(works.Refs, func(ref kind.RefSpec) bool { return ref.Key == d.Key }) {
		return l.why
	}
	return cause.Cause{}
}

// worksOfMember is what does the work of a member: the object of its name and the kind that does, or itself; nil for none.
func (w *world) worksOfMember(member manifest.Key) *kind.Desired {
	works := w.kinds[member.Kind].WorkerKind
	if d := w.byKey[manifest.Key{Group: w.group[works], Kind: works, Namespace: member.Namespace, Name: member.Name}]; d != nil {
		return d
	}
	return w.byKey[member]
}
