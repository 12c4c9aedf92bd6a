package group

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// The members that a group has no more go as others are interrupted: so that as many serve as the group says, and after they
// have been sent nothing new for a while, so they finish what they have.

// former are the members that a group has no more and that work: the steps of what does their work.
type former struct {
	group manifest.Key
	works []*plan.Step
}

// findFormer finds them. Those that are down go at once.
func (gs *Groups) findFormer() (list []former) {
	at := map[manifest.Key]int{}
	for i := range gs.steps {
		s := &gs.steps[i]
		group := gs.ByKey[s.Within]
		if s.Action != plan.Delete || group == nil || group.Rollout == nil || gs.Now.IsZero() ||
			s.Key.Kind != gs.WorkerKind(gs.KindOf[s.Within.Kind].Group.Members) || s.Have.Down != "" {
			continue
		}
		n, known := at[s.Within]
		if !known {
			n, list = len(list), append(list, former{group: s.Within})
			at[s.Within] = n
		}
		list[n].works = append(list[n].works, s)
	}
	return list
}

// Linger has former members, with all that they consist of, wait for their time.
func (gs *Groups) Linger() {
	for _, f := range gs.former {
		if judge, unseen := gs.hidden[f.group]; unseen {
			for _, s := range f.works {
				s.WaitFor(whenSeen(judge), judge)
			}
		} else {
			gs.standIn(f)
			if drain := gs.ByKey[f.group].Rollout.Drain; drain > 0 {
				gs.lingerFor(f, drain)
			}
		}
		gs.keepTogether(f)
	}
}

// keepTogether has what nothing else keeps of a former member, such as its floating IP, stay as long as what does its work.
func (gs *Groups) keepTogether(f former) {
	for _, works := range f.works {
		if works.Turn.IsZero() {
			continue
		}
		for i := range gs.steps {
			if s := &gs.steps[i]; s != works && s.Action == plan.Delete && gs.was[s.Have] == gs.was[works.Have] && len(s.Blockers) == 0 {
				s.WaitFor(works.Turn, works.Awaits...)
			}
		}
	}
}

// lingerFor has former members stay for so long after the fronts of their group have stopped sending something to them.
func (gs *Groups) lingerFor(f former, drain time.Duration) {
	for _, front := range gs.frontsOf(f) {
		if front.Have.Updated.IsZero() {
			continue
		}
		for _, s := range f.works {
			if slices.Contains(gs.Cloud.UsersOf(s.Have), front.Have) {
				continue // which blocks it
			}
			until := gs.quietSince(front, s.Key, front.Have.Updated).Add(drain + time.Second) // clouds leave off what is less than a second
			if pending := !front.Have.Phase.Usable(); pending || until.After(gs.Now) {
				if !pending {
					front.AwaitWell(plan.Settling{Until: until})
				}
				s.WaitFor(whenDrained(front.Key, drain), front.Key)
			}
		}
	}
}

// frontsOf are the steps of what sends something to members of a group, or did to the former ones.
func (gs *Groups) frontsOf(f former) (fronts []*plan.Step) {
	for i := range gs.steps {
		if s := &gs.steps[i]; s.Have != nil && s.Want != nil && !s.Surplus && s.Have.Drained != nil && gs.faced(s, f) {
			fronts = append(fronts, s)
		}
	}
	return fronts
}

// faced reports whether a front refers to a group or to one of its members, or is known to have ceased to send something to a former one.
func (gs *Groups) faced(front *plan.Step, f former) bool {
	return slices.ContainsFunc(front.Want.Refs, func(ref kind.RefSpec) bool { return gs.groupAt(ref.Key) == f.group }) || slices.ContainsFunc(f.works, func(s *plan.Step) bool {
		_, since := gs.Seen.Quiet[plan.Quiet{Front: front.Key, Of: s.Key}]
		_, drained := gs.Seen.Quiet[plan.Quiet{Front: front.Key, Of: gs.was[s.Have]}]
		return since || drained
	})
}
