package plan

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// learn notes what groups have decided that changes what is decided about their members and what sends something to these: who stays as
// it is, what is sent to whom, how many spares there are, and who is healed. It reports whether anything of that is new.
func (gs *groups) learn(next verdicts) (news bool) {
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
func (v verdicts) stop(m *member, traffic kind.Traffic) {
	v.traffic[m.member] = traffic
	for _, f := range m.fronts {
		v.drains[f.step.Key] = true
	}
}

// learnStandIns notes which former members stand in for others, and reports whether there are any that were not known before.
func (gs *groups) learnStandIns(next verdicts) (news bool) {
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
