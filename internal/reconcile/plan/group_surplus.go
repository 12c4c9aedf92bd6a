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
func (p *planner) former() (list []former) {
	at := map[manifest.Key]int{}
	for i := range p.steps {
		s := &p.steps[i]
		group := p.byKey[s.Within]
		if s.Action != Delete || group == nil || group.Rollout == nil || p.Now.IsZero() ||
			s.Key.Kind != p.worksOf(s.Within.Kind) || s.have.Down != "" {
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
func (p *planner) linger() {
	for _, f := range p.former() {
		if judge, unseen := p.judgesUnseen()[f.group]; unseen {
			for _, s := range f.works {
				s.waitFor(whenSeen(judge), judge)
			}
		} else {
			p.standIn(f)
			if drain := p.byKey[f.group].Rollout.Drain; drain > 0 {
				p.lingerFor(f, drain)
			}
		}
		p.keepTogether(f)
	}
}

// keepTogether has what nothing else keeps of a former member, such as its floating IP, stay as long as what does its work.
func (p *planner) keepTogether(f former) {
	for _, works := range f.works {
		if works.Turn.IsZero() {
			continue
		}
		for i := range p.steps {
			if s := &p.steps[i]; s != works && s.Action == Delete && p.was[s.have] == p.was[works.have] && len(s.Blockers) == 0 {
				s.waitFor(works.Turn, works.Awaits...)
			}
		}
	}
}

// worksOf is the kind of what does the work of the members of a kind of groups.
func (w *world) worksOf(group string) string {
	members := w.kinds[group].Info().Members
	return cmp.Or(w.kinds[members].Info().WorkerKind, members)
}

// lingerFor has former members stay for so long after the fronts of their group have stopped sending something to them.
func (p *planner) lingerFor(f former, drain time.Duration) {
	for _, front := range p.frontsOf(f) {
		if front.have.Updated.IsZero() {
			continue
		}
		for _, s := range f.works {
			if slices.Contains(p.cloud.UsersOf(s.have), front.have) {
				continue // which blocks it
			}
			until := p.quietSince(front, s.Key, front.have.Updated).Add(drain + time.Second) // clouds leave off what is less than a second
			if pending := !front.have.Phase.Usable(); pending || until.After(p.Now) {
				if !pending {
					front.settling = &settling{until: until}
				}
				s.waitFor(whenDrained(front.Key, drain), front.Key)
			}
		}
	}
}

// frontsOf are the steps of what sends something to members of a group, or did to the former ones.
func (p *planner) frontsOf(f former) (fronts []*Step) {
	for i := range p.steps {
		if s := &p.steps[i]; s.have != nil && s.want != nil && !s.surplus && s.have.Drained != nil && p.faced(s, f) {
			fronts = append(fronts, s)
		}
	}
	return fronts
}

// faced reports whether a front refers to a group or to one of its members, or is known to have ceased to send something to a former one.
func (p *planner) faced(front *Step, f former) bool {
	return slices.ContainsFunc(front.want.Refs, func(ref kind.RefSpec) bool { return p.groupAt(ref.Key) == f.group }) || slices.ContainsFunc(f.works, func(s *Step) bool {
		_, since := p.Seen.Quiet[Quiet{front.Key, s.Key}]
		_, drained := p.Seen.Quiet[Quiet{front.Key, p.was[s.have]}]
		return since || drained
	})
}
