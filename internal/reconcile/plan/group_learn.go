package plan

import (
	"maps"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// learned is what groups have decided about their members, and changes what is decided about these.
type learned struct {
	spares        map[manifest.Key]int          // how many spares a group has
	sizes         map[manifest.Key]size         // how many members a group has that can have more or fewer
	settledSpares map[manifest.Key]bool         // the groups of which that is decided
	traffic       map[manifest.Key]kind.Traffic // what may be sent to a member of a group
	drains        map[manifest.Key]bool         // what sends less than its manifest says, to members that are interrupted
	left          map[manifest.Key]leaving      // the members of groups that stay as they are
	standing      map[*kind.Live]bool           // what former members consist of that stand in for others
	healing       healing
}

func newLearned() learned {
	return learned{settledSpares: map[manifest.Key]bool{}, left: map[manifest.Key]leaving{}, standing: map[*kind.Live]bool{}, traffic: map[manifest.Key]kind.Traffic{},
		drains: map[manifest.Key]bool{}, healing: healing{cures: map[manifest.Key]cure{}, treated: map[manifest.Key]string{}}}
}

func (l learned) cloneLearned() learned {
	return learned{
		spares: maps.Clone(l.spares), sizes: l.sizes, settledSpares: maps.Clone(l.settledSpares),
		traffic: maps.Clone(l.traffic), drains: maps.Clone(l.drains), left: maps.Clone(l.left), standing: maps.Clone(l.standing),
		healing: healing{cures: maps.Clone(l.healing.cures), treated: maps.Clone(l.healing.treated)},
	}
}

// learn notes what groups have decided that changes what is decided about their members and what sends something to these: who stays as
// it is, what is sent to whom, how many spares there are, and who is healed. It reports whether anything of that is new.
func (gs *groups) learn(next learned) (news bool) {
	for _, g := range gs.list {
		if !g.decided {
			continue
		}
		for i, m := range g.members {
			news = gs.learnLeft(g, i, next) || news
			if traffic := g.traffic(i); traffic != kind.Flows && gs.traffic[m.member] == kind.Flows {
				next.stop(m, traffic)
				news = true
			}
		}
		news = gs.learnSpares(g, next) || news
		if !news { // who is left as it is needs no change, and can be healed
			news = gs.learnHealing(g, next)
		}
	}
	return gs.learnStandIns(next) || news
}

// stop notes what may be sent to a member from now on.
func (l learned) stop(m *member, traffic kind.Traffic) {
	l.traffic[m.member] = traffic
	for _, f := range m.fronts {
		l.drains[f.step.Key] = true
	}
}

// learnStandIns notes which former members stand in for others, and reports whether there are any that were not known before.
func (gs *groups) learnStandIns(next learned) (news bool) {
	for _, f := range gs.gone {
		g := gs.of(f.group)
		if _, unseen := gs.hidden[f.group]; unseen || g == nil || g.strategy.Type == rollout.Recreate {
			continue
		}
		missing, _ := gs.missing(g)
		for _, s := range gs.fittest(f.works, missing) {
			if !gs.standing[s.have] {
				gs.stand(s, next)
				news = true
			}
		}
	}
	return news
}
