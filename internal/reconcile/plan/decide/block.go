package decide

import (
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// block sets the Blockers of every step that deletes, replaces or detaches an object: the owned objects that must release it first.
//
//   - A deletion waits for all users of its object except those that are detached.
//   - A replacement waits only for users that are deleted or replaced, too. All other users still use the object.
//   - A detachment waits for users that are destroyed or detached, because the marks of some users are stored on the object.
//   - In a circle of objects that use each other, a step does not wait for users that the cloud detaches itself, and a detachment waits for none.
//
// It returns, for each step, the steps that must be done first.
func (p *planner) block() (blocked [][]int) {
	going := map[*kind.Live]int{} // by object: the index of the step that destroys or detaches it
	for i := range p.steps {
		if p.steps[i].Action.Destroys() || p.steps[i].Action == plan.Detach {
			going[p.steps[i].Have] = i
		}
	}
	blocked = make([][]int, len(p.steps))
	if len(going) == 0 {
		return blocked
	}
	users := make([][]*kind.Live, len(p.steps))
	for _, i := range going {
		users[i] = p.Cloud.UsersOf(p.steps[i].Have)
	}
	circle := resolve.Components(len(p.steps), func(i int) (next []int) {
		for _, user := range users[i] {
			if j, ok := going[user]; ok {
				next = append(next, j)
			}
		}
		return next
	})
	for i := range p.steps {
		s, named := &p.steps[i], map[string]bool{}
		for _, user := range users[i] {
			j, goes := going[user]
			switch {
			case user == s.Have || !goes && s.Action != plan.Delete:
				continue
			case goes && circle[i] == circle[j] && (s.Action == plan.Detach || world.Loosely(user, s.Have)):
				continue
			case goes && s.Action == plan.Recreate && p.steps[j].Part != nil && world.Loosely(user, s.Have): // a member of a group is replaced in its turn
				continue
			case goes && s.Action != plan.Detach && p.steps[j].Action == plan.Detach:
				continue
			case goes:
				blocked[i] = append(blocked[i], j)
			}
			if name := p.userText(user); !named[name] {
				named[name] = true
				s.Blockers = append(s.Blockers, name)
			}
		}
		natural.Sort(s.Blockers)
	}
	return blocked
}

// userText names an object that uses another one: its kind, and its name in the cloud or, if it has none, its ID.
func (w worldReader) userText(user *kind.Live) string {
	return plan.LiveText(w.Cloud.KindOf(user), user)
}
