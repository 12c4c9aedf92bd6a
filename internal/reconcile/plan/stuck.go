package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
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
//	delete    stays, and is to, for a while                   delete, and wait (see group_standin.go)
//	replace   refers to it by a fixed reference, and stays    refuse
//	replace   stays, and the cloud deletes none in use        refuse
//	replace   is no longer in the repository, and stays       refuse

// learnLocks notes which steps destroy what stays in use, and reports whether there
// are any that were not known before. One that is refused stays in use itself.
func (p *planner) learnLocks(next verdicts) (news bool) {
	destroying := map[string][]*Step{} // by the tokens that their objects answer to
	for i := range p.steps {
		if s := &p.steps[i]; s.Action.Destroys() && !s.surplus {
			for _, token := range append([]string{s.have.ID}, s.have.Tokens...) {
				destroying[token] = append(destroying[token], s)
			}
		}
	}
	if len(destroying) == 0 {
		return false
	}
	var open []*Step
	for i := range p.steps {
		if s := &p.steps[i]; s.have != nil && (s.Action == Keep || s.Action == Refuse || s.Action == Update || s.Action == Detach) {
			open = append(open, s)
		}
	}
	for len(open) > 0 {
		user := open[len(open)-1]
		open = open[:len(open)-1]
		for _, token := range user.have.Uses {
			for _, s := range destroying[token] {
				if !next.locked[s.have].IsZero() || !next.spared[s.have].IsZero() || next.standing[s.have] || s == user || !p.staysInUse(user, s, next) {
					continue
				}
				if next.lock(s, user); user.Action == Detach {
					next.holding[user.have] = cause.Of(cause.HoldsBack, s.Key)
				}
				open, news = append(open, s), true
			}
		}
	}
	return news
}

// lock notes that what a step destroys stays in use. It is kept where it is used only by what is left as it is: a member, by its group, or what nothing can take the place of.
func (l locks) lock(s, user *Step) {
	if user.left && s.want == nil {
		code := cause.KeptForGroup
		if user.want == nil {
			code = cause.KeptForUser
		}
		l.spared[s.have] = cause.Of(code, user.Key)
		return
	}
	l.locked[s.have] = lockCause(s, user)
}

// staysInUse reports whether the object of a step goes on using that of another, which is
// to go.
func (p *planner) staysInUse(user, s *Step, known verdicts) bool {
	stays := user.Action != Update || !known.locked[user.have].IsZero()
	switch {
	case user.want == nil || s.Action == Delete:
		return stays
	case !p.doomed[s.Key]:
		return false
	}
	held := p.kinds[s.Key.Kind].Info.Held && !loosely(user.have, s.have)
	return slices.ContainsFunc(user.want.Refs, func(ref kind.RefSpec) bool { return ref.Key == s.Key && (ref.Fixed || held && !ref.Order) })
}

func fixedTo(user, s *Step) bool {
	return user.want == nil || slices.ContainsFunc(user.want.Refs, func(ref kind.RefSpec) bool { return ref.Fixed && ref.Key == s.Key })
}

func lockCause(s, user *Step) cause.Cause {
	var because cause.Cause
	switch {
	case user.Action == Detach:
		because = cause.Of(cause.UserLetGo)
	case len(user.why()) > 0:
		because = cause.Of(cause.UserBecause, user.why())
	}
	switch {
	case s.Action != Recreate:
		return cause.Of(cause.CannotDelete, user.Key, because)
	case fixedTo(user, s):
		return cause.Of(cause.CannotReplace, s.why(), user.Key, because, cause.Of(cause.ReplaceTogether))
	}
	return cause.Of(cause.CannotReplace, s.why(), user.Key, because, cause.Of(cause.UseAnother))
}
