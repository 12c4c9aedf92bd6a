package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

// What a plan would delete or replace while something goes on using it cannot
// happen: the cloud refuses it, or the stack waits for ever. Such a step is refused
// from the start, and everything is decided again with that in mind, since what
// would have followed need not.
//
//	step      its user                                        then
//	-------   ---------------------------------------------   ------
//	delete    stays as it is                                  refuse
//	delete    is left as it is by its group                   keep
//	delete    is to be detached                               refuse, and keep the user's mark
//	delete    stays, and is to, for a while                   delete, and wait (see group/standin.go)
//	replace   refers to it by a fixed reference, and stays    refuse
//	replace   stays, and the cloud deletes none in use        refuse
//	replace   is no longer in the repository, and stays       refuse

// learnLocks notes which steps destroy what stays in use, and reports whether there
// are any that were not known before. One that is refused stays in use itself.
func (p *planner) learnLocks(next verdicts) (news bool) {
	destroying := map[string][]*plan.Step{} // by the tokens that their objects answer to
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
				if !next.locked[s.Have].IsZero() || !next.spared[s.Have].IsZero() || next.learned.Standing[s.Have] || s == user || !p.staysInUse(user, s, next) {
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

// lock notes that what a step destroys stays in use. It is kept where it is used only by what is left as it is: a member, by its group, or what nothing can take the place of.
func (l locks) lock(s, user *plan.Step) {
	if user.Frozen && s.Want == nil {
		code := cause.KeptForGroup
		if user.Want == nil {
			code = cause.KeptForUser
		}
		l.spared[s.Have] = cause.Of(code, user.Key)
		return
	}
	l.locked[s.Have] = lockCause(s, user)
}

// staysInUse reports whether the object of a step goes on using that of another, which is
// to go.
func (p *planner) staysInUse(user, s *plan.Step, known verdicts) bool {
	stays := user.Action != plan.Update || !known.locked[user.Have].IsZero()
	switch {
	case user.Want == nil || s.Action == plan.Delete:
		return stays
	case !p.found.Doomed[s.Key]:
		return false
	}
	held := p.KindOf[s.Key.Kind].Info.Held && !world.Loosely(user.Have, s.Have)
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
	case len(user.Because()) > 0:
		because = cause.Of(cause.UserBecause, user.Because())
	}
	switch {
	case s.Action != plan.Recreate:
		return cause.Of(cause.CannotDelete, user.Key, because)
	case fixedTo(user, s):
		return cause.Of(cause.CannotReplace, s.Because(), user.Key, because, cause.Of(cause.ReplaceTogether))
	}
	return cause.Of(cause.CannotReplace, s.Because(), user.Key, because, cause.Of(cause.UseAnother))
}
