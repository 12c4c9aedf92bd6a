package plan

import (
	"cmp"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// The members that a group has no more go as others are interrupted: so that as many serve as the group says, and after they
// have been sent nothing new for a while, so they finish what they have.

// former are the members that a group has no more and that work: the steps of what does their work.
type former struct {
	group manifest.Key
	works []*Step
}

// former finds them. Those that are down go at once.
func (gs *groups) former() (list []former) {
	at := map[manifest.Key]int{}
	for i := range gs.steps {
		s := &gs.steps[i]
		group := gs.byKey[s.Within]
		if s.Action != Delete || group == nil || group.Rollout == nil || gs.Now.IsZero() ||
			s.Key.Kind != gs.worksOf(s.Within.Kind) || s.have.Down != "" {
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

// linger has former members, with all that they consist of, wait for their time.
func (gs *groups) linger() {
	for _, f := range gs.gone {
		if judge, unseen := gs.hidden[f.group]; unseen {
			for _, s := range f.works {
				s.waitFor(whenSeen(judge), judge)
			}
		} else {
			gs.standIn(f)
			if drain := gs.byKey[f.group].Rollout.Drain; drain > 0 {
				gs.lingerFor(f, drain)
			}
		}
		gs.keepTogether(f)
	}
}

// keepTogether has what nothing else keeps of a former member, such as its floating IP, stay as long as what does its work.
func (gs *groups) keepTogether(f former) {
	for _, works := range f.works {
		if works.Turn.IsZero() {
			continue
		}
		for i := range gs.steps {
			if s := &gs.steps[i]; s != works && s.Action == Delete && gs.was[s.have] == gs.was[works.have] && len(s.Blockers) == 0 {
				s.waitFor(works.Turn, works.Awaits...)
			}
		}
	}
}

// worksOf is the kind of what does the work of the members of a kind of groups.
func (w *world) worksOf(group string) string {
	members := w.kinds[group].Group.Members
	return cmp.Or(w.kinds[members].WorkerKind, members)
}

// lingerFor has former members stay for so long after the fronts of their group have stopped sending something to them.
func (gs *groups) lingerFor(f former, drain time.Duration) {
	for _, front := range gs.frontsOf(f) {
		if front.have.Updated.IsZero() {
			continue
		}
		for _, s := range f.works {
			if slices.Contains(gs.cloud.UsersOf(s.have), front.have) {
				continue // which blocks it
			}
			until := gs.quietSince(front, s.Key, front.have.Updated).Add(drain + time.Second) // clouds leave off what is less than a second
			if pending := !front.have.Phase.Usable(); pending || until.After(gs.Now) {
				if !pending {
					front.settling = &settling{until: until}
				}
				s.waitFor(whenDrained(front.Key, drain), front.Key)
			}
		}
	}
}

// frontsOf are the steps of what sends something to members of a group, or did to the former ones.
func (gs *groups) frontsOf(f former) (fronts []*Step) {
	for i := range gs.steps {
		if s := &gs.steps[i]; s.have != nil && s.want != nil && !s.surplus && s.have.Drained != nil && gs.faced(s, f) {
			fronts = append(fronts, s)
		}
	}
	return fronts
}

// faced reports whether a front refers to a group or to one of its members, or is known to have ceased to send something to a former one.
func (gs *groups) faced(front *Step, f former) bool {
	return slices.ContainsFunc(front.want.Refs, func(ref kind.RefSpec) bool { return gs.groupAt(ref.Key) == f.group }) || slices.ContainsFunc(f.works, func(s *Step) bool {
		_, since := gs.Seen.Quiet[Quiet{front.Key, s.Key}]
		_, drained := gs.Seen.Quiet[Quiet{front.Key, gs.was[s.have]}]
		return since || drained
	})
}
