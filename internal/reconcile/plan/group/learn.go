package group

import (
	"maps"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Learned are the decisions of groups that change later decisions about their members, and about the objects that use these.
type Learned struct {
	Spares        map[manifest.Key]int          // how many spares a group has.
	Sizes         map[manifest.Key]world.Size   // how many members a group has, if its manifest leaves that open.
	settledSpares map[manifest.Key]bool         // groups whose number of spares is decided.
	Traffic       map[manifest.Key]kind.Traffic // which traffic may be sent to a member.
	Drains        map[manifest.Key]bool         // objects that send less than their manifests say, because members are interrupted.
	Frozen        map[manifest.Key]Freeze       // members that stay as they are.
	Standing      map[*kind.Live]bool           // the objects of former members that stand in for others.
	Cures         map[manifest.Key]Cure         // what is done about members that do not serve.
	treated       map[manifest.Key]string       // groups whose healing is decided, and why nothing is done; "" where something may be.
}

// NothingLearned is the Learned before any group has decided.
func NothingLearned() Learned {
	return Learned{settledSpares: map[manifest.Key]bool{}, Frozen: map[manifest.Key]Freeze{}, Standing: map[*kind.Live]bool{}, Traffic: map[manifest.Key]kind.Traffic{},
		Drains: map[manifest.Key]bool{}, Cures: map[manifest.Key]Cure{}, treated: map[manifest.Key]string{}}
}

// Clone is a copy, to which facts can be added.
func (l Learned) Clone() Learned {
	return Learned{
		Spares: maps.Clone(l.Spares), Sizes: l.Sizes, settledSpares: maps.Clone(l.settledSpares),
		Traffic: maps.Clone(l.Traffic), Drains: maps.Clone(l.Drains), Frozen: maps.Clone(l.Frozen), Standing: maps.Clone(l.Standing),
		Cures: maps.Clone(l.Cures), treated: maps.Clone(l.treated),
	}
}

// Learn adds to next what groups have decided: which members stay as they are, which traffic they get, how many spares there are, and which members
// are healed. It reports whether any of that is new.
func (gs *Groups) Learn(next Learned) (news bool) {
	for _, g := range gs.list {
		if !g.decided {
			continue
		}
		for i, m := range g.members {
			news = gs.learnFrozen(g, i, next) || news
			if traffic := g.traffic(i); traffic != kind.Flows && gs.before.Traffic[m.Member] == kind.Flows {
				next.stop(m, traffic)
				news = true
			}
		}
		news = gs.learnSpares(g, next) || news
		if !news { // a frozen member needs no change, and can be healed
			news = gs.learnHealing(g, next)
		}
	}
	return gs.learnStandIns(next) || news
}

// stop notes which traffic a member may get from now on.
func (l Learned) stop(m *member, traffic kind.Traffic) {
	l.Traffic[m.Member] = traffic
	for _, f := range m.fronts {
		l.Drains[f.step.Key] = true
	}
}

// learnStandIns notes which former members stand in for others, and reports whether any of them is new.
func (gs *Groups) learnStandIns(next Learned) (news bool) {
	for _, f := range gs.former {
		g := gs.of(f.group)
		if _, unseen := gs.hidden[f.group]; unseen || g == nil || g.strategy.Type == rollout.Recreate {
			continue
		}
		missing, _ := gs.missing(g)
		for _, s := range gs.fittest(f.works, missing) {
			if !gs.before.Standing[s.Have] {
				gs.stand(s, next)
				news = true
			}
		}
	}
	return news
}
