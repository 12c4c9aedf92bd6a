package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// A plan cannot delete or replace an object that another one will not stop using, because the cloud would refuse that, or the step would
// wait forever. The plan refuses such a step. Then everything is decided again with this fact, since other steps may become unnecessary.
//
//	the step   the user of its object                             the new action of the step
//	--------   ------------------------------------------------   -----------------------------------------------
//	delete     the user is not changed                            refuse
//	delete     the user is frozen by its group                    keep
//	delete     the user is to be detached                         refuse; the user keeps its mark, too
//	delete     any user of a former member that stands in for     delete, but the step waits (see group/standin.go)
//	           other members
//	replace    the user has a fixed reference to it, and stays    refuse
//	replace    the user stays, and the cloud never deletes an     refuse
//	           object of this kind that is in use
//	replace    the user has no manifest any more, and stays       refuse

// learnLocks adds to next the objects that would be destroyed although they stay in use, and reports whether any of them is new. An object
// whose step is refused still uses other objects.
func (p *planner) learnLocks(next verdicts) (news bool) {
	destroying := map[string][]*plan.Step{} // by the tokens of their objects
	for i := range p.steps {
		if s := &p.steps[i]; s.Action.Destroys() && !s.Surplus {
			for _, token := range append([]string{s.Have.ID}, s.Have.Tokens...) {
				destroying[token] = append(destroying[token], s)
			}
		}
	}
	if len(destroying) == 0 {
		return false
	}
	var open []*plan.Step
	for i := range p.steps {
		if s := &p.steps[i]; s.Have != nil && (s.Action == plan.Keep || s.Action == plan.Refuse || s.Action == plan.Update || s.Action == plan.Detach) {
			open = append(open, s)
		}
	}
	for len(open) > 0 {
		user := open[len(open)-1]
		open = open[:len(open)-1]
		for _, token := range user.Have.Uses {
			for _, s := range destroying[token] {
				if !next.locked[s.Have].IsZero() || !next.spared[s.Have].IsZero() || next.learned.StandIns[s.Have] || s == user || !p.staysInUse(user, s, next) {
					continue
				}
				if next.lock(s, user); user.Action == plan.Detach {
					next.holding[user.Have] = cause.Of(cause.HoldsBack, s.Key)
				}
				open, news = append(open, s), true
			}
		}
	}
	return news
}

// lock records that the object of a step stays in use. If the user is frozen, or is kept for a frozen user, an object without a manifest is
// kept. In any other case the step is refused.
func (l locks) lock(s, user *plan.Step) {
	if kept := user.Frozen || !l.spared[user.Have].IsZero(); kept && s.Want == nil {
		code := cause.KeptForGroup
		if user.Want == nil {
			code = cause.KeptForUser
		}
		l.spared[s.Have] = cause.Of(code, user.Key)
		return
	}
	l.locked[s.Have] = lockCause(s, user)
}

// staysInUse reports whether the object of the step user still uses the object of the step s, which is to be destroyed, after the plan.
func (p *planner) staysInUse(user, s *plan.Step, known verdicts) bool {
	stays := user.Action != plan.Update || !known.locked[user.Have].IsZero()
	switch {
	case user.Want == nil || s.Action == plan.Delete:
		return stays
	case !p.found.GetsNewID[s.Key]:
		return false
	}
	held := p.KindOf[s.Key.Kind].Info.KeptWhileUsed && !world.Loosely(user.Have, s.Have)
	return slices.ContainsFunc(user.Want.Refs, func(ref kind.RefSpec) bool { return ref.Key == s.Key && (ref.Fixed || held && !ref.Order) })
}

func fixedTo(user, s *plan.Step) bool {
	return user.Want == nil || slices.ContainsFunc(user.Want.Refs, func(ref kind.RefSpec) bool { return ref.Fixed && ref.Key == s.Key })
}

func lockCause(s, user *plan.Step) cause.Cause {
	var because cause.Cause
	switch {
	case user.Action == plan.Detach:
		because = cause.Of(cause.UserLetGo)
	case len(user.CauseList()) > 0:
		because = cause.Of(cause.UserBecause, user.CauseList())
	}
	switch {
	case s.Action != plan.Recreate:
		return cause.Of(cause.CannotDelete, user.Key, because)
	case fixedTo(user, s):
		return cause.Of(cause.CannotReplace, s.CauseList(), user.Key, because, cause.Of(cause.ReplaceTogether))
	}
	return cause.Of(cause.CannotReplace, s.CauseList(), user.Key, because, cause.Of(cause.UseAnother))
}
