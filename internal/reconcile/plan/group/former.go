package group

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A former member is one that the group no longer has. It is deleted by the same rules by which other members are interrupted: enough
// members have to serve. Before that, it gets no new traffic for a while, so that it can finish its work.

// former has the former members of a group that still run. workers are the steps of the objects that do their work.
type former struct {
	group   manifest.Key
	workers []*plan.Step
}

// findFormer finds the former members of all groups. It leaves out members that are down, because these are deleted without waiting.
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
		list[n].workers = append(list[n].workers, s)
	}
	return list
}

// DelayFormerMembers makes the deletion of former members, and of all their objects, wait until it is allowed.
func (gs *Groups) DelayFormerMembers() {
	for _, f := range gs.former {
		if judge, unseen := gs.hidden[f.group]; unseen {
			for _, s := range f.workers {
				s.WaitFor(unlistedJudgeCause(judge), judge)
			}
		} else {
			gs.delayStandIns(f)
			if drain := gs.ByKey[f.group].Rollout.Drain; drain > 0 {
				gs.delayFormer(f, drain)
			}
		}
		gs.keepTogether(f)
	}
}

// keepTogether makes the deletion of a former member's other objects, such as its floating IP, wait for as long as the deletion of
// the object that does its work waits.
func (gs *Groups) keepTogether(f former) {
	for _, works := range f.workers {
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

// delayFormer makes the deletion of former members wait for the time drain after the fronts of their group have stopped sending traffic
// to them.
func (gs *Groups) delayFormer(f former, drain time.Duration) {
	for _, front := range gs.frontsOf(f) {
		if front.Have.Updated.IsZero() {
			continue
		}
		for _, s := range f.workers {
			if slices.Contains(gs.Cloud.UsersOf(s.Have), front.Have) {
				continue // the front is already a blocker of the step
			}
			until := gs.quietSince(front, s.Key, front.Have.Updated).Add(drain + time.Second) // clouds report times without fractions of a second
			if pending := !front.Have.Phase.Usable(); pending || until.After(gs.Now) {
				if !pending {
					front.AwaitServing(plan.Settling{Until: until})
				}
				s.WaitFor(drainCause(front.Key, drain), front.Key)
			}
		}
	}
}

// frontsOf returns the steps of the fronts that send traffic to members of a group, or that sent traffic to its former members.
func (gs *Groups) frontsOf(f former) (fronts []*plan.Step) {
	for i := range gs.steps {
		if s := &gs.steps[i]; s.Have != nil && s.Want != nil && !s.Surplus && s.Have.Drained != nil && gs.sendsOrSent(s, f) {
			fronts = append(fronts, s)
		}
	}
	return fronts
}

// sendsOrSent reports whether a front refers to a group or to one of its members. It is also true if an earlier plan found that the front
// had stopped sending traffic to a former member.
func (gs *Groups) sendsOrSent(front *plan.Step, f former) bool {
	return slices.ContainsFunc(front.Want.Refs, func(ref kind.RefSpec) bool { return gs.groupAt(ref.Key) == f.group }) || slices.ContainsFunc(f.workers, func(s *plan.Step) bool {
		_, since := gs.Seen.Quiet[plan.Quiet{Front: front.Key, Member: s.Key}]
		_, drained := gs.Seen.Quiet[plan.Quiet{Front: front.Key, Member: gs.was[s.Have]}]
		return since || drained
	})
}
