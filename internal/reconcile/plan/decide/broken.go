package decide

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// decideFailed makes the step for an object that has failed for good. No commit asked for its deletion, and an object that was in use
// before may contain data that people need. So the step depends on the object:
//
//	the object                                  it is recreated
//	------------------------------------------  ----------------------------------------
//	is gone, only its name is left in a list    immediately
//	was made by this process and never usable   immediately
//	does the work of a member of a group that   when the member's turn comes
//	replaces failed members
//	is to be recreated at a person's request    if its manifest does not forbid that
//	is any other object                         if replacements are allowed, drift is corrected,
//	                                            and its manifest does not say that it is kept
func (p *planner) decideFailed(s plan.Step, d *kind.Desired) plan.Step {
	have, reason := s.Have, cause.Of(cause.Failed, s.Have.Message)
	if have.Empty || p.Made[s.Identity()] == have.ID && !have.InUse {
		s.Unused = true
		return p.recreate(s, d, reason)
	}
	s.Changes = []kind.Change{{Field: plan.HealthField, Have: string(have.Phase), Want: string(kind.Ready), Disruption: kind.Replace}}
	if !p.mayRecreate(d) && (len(p.requestedChange(d, have)) == 0 || !mayBeRequested(d)) {
		return s.Refused(reason, cause.Of(cause.MaybeUsed, resolve.AnnotationReplace))
	}
	s = p.recreate(s, d, reason)
	s.Drift = s.Action == plan.Recreate && !p.Begun[d.Key] && (p.Synced || p.Applied(d, have.Mark))
	return s
}

// mayRecreate reports whether an object that failed may be deleted and recreated. An object that outlives its manifest is deleted only if its own
// annotation allows that.
func (w worldReader) mayRecreate(d *kind.Desired) bool {
	switch o := d.Options; {
	case o.Replace != nil:
		return *o.Replace
	case o.NoPrune, o.Detach:
		return false
	}
	return w.Replace || w.consents(d) || w.healsFailed(d)
}

// healsFailed reports whether an object does the work of a member, and its group replaces members that failed.
func (w worldReader) healsFailed(d *kind.Desired) bool {
	part := w.PartOf(d)
	if part == nil {
		return false
	}
	group := w.ByKey[part.Group].Rollout
	return group != nil && group.Heal.Down["failed"] == rollout.Replace && w.DoesTheWork(d.Key, part.Member)
}
