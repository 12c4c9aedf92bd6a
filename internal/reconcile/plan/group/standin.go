package group

import (
	"cmp"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// While too few members of a group serve, its former members that serve stand in for them. These former members are not deleted, and their
// fronts still send traffic to them. The kind of a front finds out about them with [kind.Want.StandsIn], since the front's manifest no
// longer names former members.

// addStandIn records in next that a former member, with all its objects, stands in for other members.
func (gs *Groups) addStandIn(works *plan.Step, next Learned) {
	for i := range gs.steps {
		s := &gs.steps[i]
		if s.Action != plan.Delete || gs.was[s.Have] != gs.was[works.Have] {
			continue
		}
		next.StandIns[s.Have] = true
		for _, user := range gs.Cloud.UsersOf(s.Have) {
			if front := gs.stepsOf[user]; front != nil && user.Drained != nil {
				next.Drains[front.Key] = true
			}
		}
	}
}

// missing returns how many more members of a group have to serve. It also returns the first member that should serve and does not, or nil if there is none.
func (w worldReader) missing(g *group) (n int, away *member) {
	wanted := g.replicas()
	n = wanted - g.strategy.Unavailable(wanted)
	for _, m := range g.members {
		if w.serves(g, m) {
			n--
		} else if away == nil && !m.spare {
			away = m
		}
	}
	return n, away
}

// fittest returns up to n of the former members that can stand in for other members. Former members that get traffic are preferred.
func (w worldReader) fittest(works []*plan.Step, n int) []*plan.Step {
	well := slices.DeleteFunc(slices.Clone(works), w.reportedDown)
	slices.SortStableFunc(well, func(a, b *plan.Step) int { return cmp.Compare(w.sentTo(a), w.sentTo(b)) })
	return well[max(0, len(well)-max(0, n)):]
}

// reportedDown reports whether an object is reported as not serving.
func (w worldReader) reportedDown(s *plan.Step) bool {
	return slices.ContainsFunc(w.Cloud.UsersOf(s.Have), func(user *kind.Live) bool { return reportsDown(user, s.Have) })
}

// sentTo counts the fronts that send traffic to an object.
func (w worldReader) sentTo(s *plan.Step) (n int) {
	for _, user := range w.Cloud.UsersOf(s.Have) {
		if user.Drained != nil {
			n++
		}
	}
	return n
}

// delayStandIns makes the deletion of the former members that stand in for other members wait.
func (gs *Groups) delayStandIns(f former) {
	standing := slices.DeleteFunc(slices.Clone(f.workers), func(s *plan.Step) bool { return !gs.known.StandIns[s.Have] })
	if len(standing) == 0 {
		return
	}
	keys := []manifest.Key{f.group}
	if g := gs.find(f.group); g != nil {
		if _, away := gs.missing(g); away != nil {
			var until time.Time // zero unless the member serves and only has to do so for longer
			if gs.conditionOf(away).Health == rollout.Serving {
				until = away.began.Add(g.strategy.MinReady)
			}
			keys = gs.awaited(g, away, until)
		}
	}
	for _, s := range standing {
		s.WaitFor(cause.Of(cause.MoreServe, f.group), keys...)
	}
}
