package group

import (
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Before a member is interrupted, the objects that send traffic to it (see [kind.Live.Drained]) stop doing so. They resume when it is back. The cloud
// shows the state of each member:
//
//	the member            its fronts             then
//	-------------------   --------------------   -------------------------------------------------
//	is to be interrupted  send                   the fronts are changed first: to send nothing new
//	is to be interrupted  do not send, since     the member is interrupted once that is long enough
//	is away               do not send            they stay so
//	is back               do not send            the fronts are changed: to send again

// front is an object that sends traffic to a member.
type front struct {
	step  *plan.Step
	since time.Time // since when it sends nothing new; the zero time while it sends
}

// changes reports whether the front is being changed, or is about to be.
func (f front) changes() bool { return f.step.Action == plan.Update || f.step.Action == plan.Wait }

// faces notes a user of one of the member's objects that sends traffic to it.
func (gs *Groups) faces(m *member, user *plan.Step, have *kind.Live) {
	if user.Have.Drained == nil || slices.ContainsFunc(m.fronts, func(f front) bool { return f.step == user }) {
		return
	}
	f := front{step: user}
	for _, token := range append([]string{have.ID}, have.Tokens...) {
		if since, drained := user.Have.Drained[token]; drained {
			f.since = since
		}
	}
	if !f.since.IsZero() {
		f.since = gs.quietSince(user, m.Member, f.since)
	}
	m.fronts = append(m.fronts, f)
}

// drains reports whether the group drains its members at all.
func (g *group) drains() bool { return g.strategy.Drain > 0 && g.strategy.Type != rollout.Recreate }

// traffic is the traffic that the member at an index may get.
func (g *group) traffic(i int) kind.Traffic {
	m := g.members[i]
	up := m.runs()
	switch {
	case len(m.fronts) == 0 || !g.drains():
	case !up && slices.ContainsFunc(m.fronts, func(f front) bool { return !f.since.IsZero() }):
		return kind.Pauses
	case up && g.decision.Verdicts[i] == rollout.Go && len(m.changes) > 0:
		return kind.Ends
	}
	return kind.Flows
}

// drained reports whether nothing new has been sent to a member for long enough. With asked, a front that still sends although it was asked to stop
// does not count.
func (g *group) drained(m *member, now time.Time, asked bool) bool {
	if !g.drains() || now.IsZero() || m.works == nil || m.works.Have == nil || !m.works.Have.Phase.Usable() {
		return true
	}
	return !slices.ContainsFunc(m.fronts, func(f front) bool {
		if asked && !f.changes() {
			return !f.since.IsZero() && f.since.Add(g.strategy.Drain).After(now)
		}
		return f.since.IsZero() || f.since.Add(g.strategy.Drain).After(now)
	})
}

// drain makes the changes of a member wait until nothing new has been sent to it for long enough. They do not wait for a front that cannot be changed
// to stop.
func (g *group) drain(m *member, now time.Time) {
	if len(m.changes) == 0 || !g.drains() || now.IsZero() || m.healing() {
		return
	}
	for _, f := range m.fronts {
		switch until := f.since.Add(g.strategy.Drain); {
		case f.changes():
		case f.since.IsZero(), !until.After(now):
			continue
		default:
			f.step.AwaitWell(plan.Settling{Until: until})
		}
		for _, s := range m.changes {
			s.WaitFor(whenDrained(f.step.Key, g.strategy.Drain), f.step.Key)
		}
	}
}

// whenDrained says that a step waits until its object is drained.
func whenDrained(front manifest.Key, drain time.Duration) cause.Cause {
	return cause.Of(cause.Drained, front, drain)
}
