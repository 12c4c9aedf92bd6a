package group

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// quietSince returns the time since which a front sends no new traffic to a member. latest is the time that the cloud reports, which may be
// too late. While the cloud is still changing the front, the reported time may be too early.
func (gs *Groups) quietSince(front *plan.Step, of manifest.Key, latest time.Time) time.Time {
	at := plan.Quiet{Front: front.Key, Member: of}
	before, known := gs.Seen.Quiet[at]
	switch {
	case known && before.Before(latest):
		latest = before
	case !known && !front.Have.Phase.Usable():
		return latest
	}
	if gs.SeenNow.Quiet == nil {
		gs.SeenNow.Quiet = map[plan.Quiet]time.Time{}
	}
	gs.SeenNow.Quiet[at] = latest
	return latest
}

// noteServing records in SeenNow which members of a group serve now, and which served before.
func (gs *Groups) noteServing(g *group) {
	if gs.Now.IsZero() {
		return
	}
	if gs.SeenNow.Served == nil {
		gs.SeenNow.Served = map[manifest.Key]plan.Served{}
	}
	for _, m := range g.members {
		before, known := gs.Seen.Served[m.Member]
		switch {
		case m.worker == nil || m.worker.Have == nil:
			if known { // the object may exist although it is not listed
				gs.SeenNow.Served[m.Member] = before
			}
		case gs.serves(g, m):
			gs.SeenNow.Served[m.Member] = plan.Served{ID: m.worker.Have.ID}
		case before.ID == m.worker.Have.ID:
			gs.SeenNow.Served[m.Member] = plan.Served{ID: before.ID, Until: gs.servedUntil(m)}
		}
	}
}

// serves reports whether a member has served for long enough.
func (w worldReader) serves(g *group, m *member) bool {
	return w.conditionOf(m).Serves(g.strategy.MinReady, w.Now)
}

// servedUntil returns when a member that does not serve now, but served before, was first seen not serving. It is the zero time for a
// member that was never seen serving.
func (w worldReader) servedUntil(m *member) time.Time {
	switch s := w.Seen.Served[m.Member]; {
	case s.ID != m.worker.Have.ID:
		return time.Time{}
	case s.Until.IsZero():
		return w.Now
	default:
		return s.Until
	}
}

// latest returns the latest of several times.
func latest(times ...time.Time) (last time.Time) {
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// healedAt returns when a member that did not serve was last healed.
func healedAt(p rollout.Patient) time.Time { return latest(p.Healed...) }
