package group

import (
	"maps"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Learned has the decisions of groups that change the next planner's decisions about their members, and about the objects that use members.
type Learned struct {
	Spares        map[manifest.Key]int          // the number of spares that a group has.
	Sizes         map[manifest.Key]world.Size   // the number of members of a group whose manifest leaves that number open.
	settledSpares map[manifest.Key]bool         // groups whose number of spares is decided.
	Traffic       map[manifest.Key]kind.Traffic // the traffic that may be sent to a member.
	Drains        map[manifest.Key]bool         // objects that send less than their manifests say, because members are interrupted.
	Frozen        map[manifest.Key]Freeze       // members that are not changed.
	StandIns      map[*kind.Live]bool           // the objects of former members that do the work of other members.
	Cures         map[manifest.Key]Cure         // the cures for members that do not serve.
	treated       map[manifest.Key]string       // groups whose healing is decided, with the reason why no member is healed; "" if members may be healed.
}

// NothingLearned returns the empty Learned for the first planner.
func NothingLearned() Learned {
	return Learned{settledSpares: map[manifest.Key]bool{}, Frozen: map[manifest.Key]Freeze{}, StandIns: map[*kind.Live]bool{}, Traffic: map[manifest.Key]kind.Traffic{},
		Drains: map[manifest.Key]bool{}, Cures: map[manifest.Key]Cure{}, treated: map[manifest.Key]string{}}
}

// Clone returns a copy, to which decisions can be added.
func (l Learned) Clone() Learned {
	return Learned{
		Spares: maps.Clone(l.Spares), Sizes: l.Sizes, settledSpares: maps.Clone(l.settledSpares),
		Traffic: maps.Clone(l.Traffic), Drains: maps.Clone(l.Drains), Frozen: maps.Clone(l.Frozen), StandIns: maps.Clone(l.StandIns),
		Cures: maps.Clone(l.Cures), treated: maps.Clone(l.treated),
	}
}

// Learn adds the decisions of the groups to next: which members are frozen, which traffic members get, how many spares a group has, and
// which members are healed. It reports whether any of them is new.
func (gs *Groups) Learn(next Learned) (news bool) {
	for _, g := range gs.list {
		if !g.decided {
			continue
		}
		for i, m := range g.members {
			news = gs.learnFrozen(g, i, next) || news
			if traffic := g.traffic(i); traffic != kind.TrafficNormal && gs.known.Traffic[m.Member] == kind.TrafficNormal {
				next.limitTraffic(m, traffic)
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

// limitTraffic records which traffic a member may get from now on.
func (l Learned) limitTraffic(m *member, traffic kind.Traffic) {
	l.Traffic[m.Member] = traffic
	for _, f := range m.fronts {
		l.Drains[f.step.Key] = true
	}
}

// learnStandIns records which former members stand in for other members, and reports whether any of them is new.
func (gs *Groups) learnStandIns(next Learned) (news bool) {
	for _, f := range gs.former {
		g := gs.find(f.group)
		if _, unseen := gs.hidden[f.group]; unseen || g == nil || g.strategy.Type == rollout.Recreate {
			continue
		}
		missing, _ := gs.missing(g)
		for _, s := range gs.fittest(f.workers, missing) {
			if !gs.known.StandIns[s.Have] {
				gs.addStandIn(s, next)
				news = true
			}
		}
	}
	return news
}
