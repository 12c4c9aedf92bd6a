package group

import (
	"maps"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Learned is what groups have decided about their members, and changes what is decided about these.
type Learned struct {
	Spares        map[manifest.Key]int          // how many spares a group has
	Sizes         map[manifest.Key]world.Size   // how many members a group has that can have more or fewer
	settledSpares map[manifest.Key]bool         // the groups of which that is decided
	Traffic       map[manifest.Key]kind.Traffic // what may be sent to a member of a group
	Drains        map[manifest.Key]bool         // what sends less than its manifest says, to members that are interrupted
	Frozen        map[manifest.Key]Freeze       // the members of groups that stay as they are
	Standing      map[*kind.Live]bool           // what former members consist of that stand in for others
	Cures         map[manifest.Key]Cure         // what is done about members that do not serve
	treated       map[manifest.Key]string       // the groups of which that is decided, and why nothing is done there
}

// NothingLearned is what is known before any group has decided.
func NothingLearned() Learned {
	return Learned{settledSpares: map[manifest.Key]bool{}, Frozen: map[manifest.Key]Freeze{}, Standing: map[*kind.Live]bool{}, Traffic: map[manifest.Key]kind.Traffic{},
		Drains: map[manifest.Key]bool{}, Cures: map[manifest.Key]Cure{}, treated: map[manifest.Key]string{}}
}

// Clone is a copy that can be added to.
func (l Learned) Clone() Learned {
	return Learned{
		Spares: maps.Clone(l.Spares), Sizes: l.Sizes, settledSpares: maps.Clone(l.settledSpares),
		Traffic: maps.Clone(l.Traffic), Drains: maps.Clone(l.Drains), Frozen: maps.Clone(l.Frozen), Standing: maps.Clone(l.Standing),
		Cures: maps.Clone(l.Cures), treated: maps.Clone(l.treated),
	}
}

// Learn notes what groups have decided that changes what is decided about their members and what sends something to these: who stays as
// it is, what is sent to whom, how many spares there are, and who is healed. It reports whether anything of that is new.
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
		if !news { // who is left as it is needs no change, and can be healed
			news = gs.learnHealing(g, next)
		}
	}
	return gs.learnStandIns(next) || news
}

// stop notes what may be sent to a member from now on.
func (l Learned) stop(m *member, traffic kind.Traffic) {
	l.Traffic[m.Member] = traffic
	for _, f := range m.fronts {
		l.Drains[f.step.Key] = true
	}
}

// learnStandIns notes which former members stand in for others, and reports whether there are any that were not known before.
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
