package plan

import (
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Seen is what plans before have found out of members of groups, and no list shows. Whoever has seen nothing yet goes by the lists
// alone.
type Seen struct {
	// Served are members that were seen to serve.
	Served map[manifest.Key]Served
	// Quiet is since when members are sent nothing new. Clouds say when such an object was written last, which moves on with
	// anything that is written of it.
	Quiet map[Quiet]time.Time
}

// Served is an incarnation of a member that served, and since when it was seen not to; the zero time while it does.
type Served struct {
	ID    string
	Until time.Time
}

// Quiet is what sends nothing, and whom.
type Quiet struct{ Front, Of manifest.Key }

// Seen is what the next plan has to know: what is seen now, and of members that do not serve when they did.
func (p Plan) Seen() Seen { return p.seen }

// quietSince is since when a front sends nothing to something, of which the cloud says that it was at this time at the latest. It says so of
// a front that it is at work on before that is so.
func (gs *groups) quietSince(front *Step, of manifest.Key, latest time.Time) time.Time {
	at := Quiet{front.Key, of}
	before, known := gs.Seen.Quiet[at]
	switch {
	case known && before.Before(latest):
		latest = before
	case !known && !front.have.Phase.Usable():
		return latest
	}
	if gs.seen.Quiet == nil {
		gs.seen.Quiet = map[Quiet]time.Time{}
	}
	gs.seen.Quiet[at] = latest
	return latest
}

// noteServing remembers who of a group serves now, and who did.
func (gs *groups) noteServing(g *group) {
	if gs.Now.IsZero() {
		return
	}
	if gs.seen.Served == nil {
		gs.seen.Served = map[manifest.Key]Served{}
	}
	for _, m := range g.members {
		before, known := gs.Seen.Served[m.member]
		switch {
		case m.works == nil || m.works.have == nil:
			if known { // it may be there, and not be seen
				gs.seen.Served[m.member] = before
			}
		case gs.serves(g, m):
			gs.seen.Served[m.member] = Served{ID: m.works.have.ID}
		case before.ID == m.works.have.ID:
			gs.seen.Served[m.member] = Served{before.ID, gs.servedUntil(m)}
		}
	}
}

// serves reports whether a member has worked for long enough.
func (w *world) serves(g *group, m *member) bool {
	return w.conditionOf(m).Serves(g.strategy.MinReady, w.Now)
}

// servedUntil is when a member that does not serve now was first seen not to after it had; the zero time for one that never was seen to.
func (w *world) servedUntil(m *member) time.Time {
	switch s := w.Seen.Served[m.member]; {
	case s.ID != m.works.have.ID:
		return time.Time{}
	case s.Until.IsZero():
		return w.Now
	default:
		return s.Until
	}
}

// latest is the last of times.
func latest(times ...time.Time) (last time.Time) {
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// healedAt is when something was last done about a member that did not serve.
func healedAt(p rollout.Patient) time.Time { return latest(p.Healed...) }
