package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// The members that a group has no more go as others are interrupted: so that as many serve as the group says, and after they
// have been sent nothing new for a while, so they finish what they have.

// linger has the members that groups have no more wait for that. Those that are down go at once.
func (p *planner) linger() {
	former := map[manifest.Key][]*Step{}
	var order []manifest.Key
	for i := range p.steps {
		s := &p.steps[i]
		group := p.byKey[s.Within]
		if s.Action != Delete || group == nil || group.Rollout == nil || p.Now.IsZero() ||
			s.Key.Kind != p.worksOf(s.Within.Kind) || s.have.Down != "" {
			continue
		}
		if former[s.Within] == nil {
			order = append(order, s.Within)
		}
		former[s.Within] = append(former[s.Within], s)
	}
	for _, key := range order {
		strategy := *p.byKey[key].Rollout
		if judge, unseen := p.judgesUnseen()[key]; unseen {
			for _, s := range former[key] {
				s.waitFor(whenSeen(judge), judge)
			}
			continue
		}
		p.standIn(key, strategy, former[key])
		if strategy.Drain > 0 {
			p.lingerFor(key, strategy.Drain, former[key])
		}
	}
}

// worksOf is the kind of what does the work of the members of a kind of groups.
func (p *planner) worksOf(group string) string {
	members := p.kinds[group].Info().Members
	return cmp.Or(p.kinds[members].Info().Works, members)
}

// standIn has former members that serve stay as long as too few of the others do.
func (p *planner) standIn(key manifest.Key, strategy rollout.Strategy, former []*Step) {
	g := p.grouped[key]
	if g == nil || strategy.Type == rollout.Recreate {
		return
	}
	well := slices.DeleteFunc(slices.Clone(former), p.accused)
	wanted := g.replicas()
	missing := wanted - strategy.Unavailable(wanted)
	var away *member
	for _, m := range g.members {
		if p.serves(g, m) {
			missing--
		} else if away == nil && !m.spare {
			away = m
		}
	}
	if missing <= 0 || away == nil {
		return
	}
	var until time.Time // that it only has to work for longer
	if p.conditionOf(away).Health == rollout.Serving {
		until = away.began.Add(g.strategy.MinReady)
	}
	keys := p.awaited(g, away, until)
	for _, s := range well[max(0, len(well)-missing):] {
		s.waitFor(fmt.Sprintf("when more members of %s serve", key), keys...)
	}
}

// accused reports whether something says of an object that it does not serve.
func (p *planner) accused(s *Step) bool {
	return slices.ContainsFunc(p.usersOf(s.have), func(user *kind.Live[any]) bool { return accuses(user, s.have) })
}

// lingerFor has former members stay for so long after the fronts of their group have stopped sending something to them.
func (p *planner) lingerFor(key manifest.Key, drain time.Duration, former []*Step) {
	for _, front := range p.frontsOf(key) {
		if front.have.Updated.IsZero() {
			continue
		}
		for _, s := range former {
			if slices.Contains(p.usersOf(s.have), front.have) {
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

// frontsOf are the steps of what sends something to members of a group.
func (p *planner) frontsOf(group manifest.Key) (fronts []*Step) {
	seen := map[*Step]bool{}
	for i := range p.steps {
		s := &p.steps[i]
		if s.have == nil {
			continue
		}
		if part := p.partOf(s.want); part == nil || part.group != group {
			continue
		}
		for _, user := range p.usersOf(s.have) {
			if front := p.stepOf(user); user.Drained != nil && front != nil && !seen[front] {
				fronts, seen[front] = append(fronts, front), true
			}
		}
	}
	return fronts
}
