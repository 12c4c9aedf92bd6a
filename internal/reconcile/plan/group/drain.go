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

// Before a member is interrupted, the objects that send traffic to it (see [kind.Live.Drained]) stop sending. They send again when the
// member serves again. The action depends on the state of the member and of its fronts:
//
//	the member            its fronts             the action
//	-------------------   --------------------   -----------------------------------------------------------------
//	is to be interrupted  send traffic           the fronts are updated, so that they send no new traffic
//	is to be interrupted  send no traffic        the member is interrupted after the fronts have sent none for long enough
//	is away               send no traffic        the fronts are not updated
//	serves again          send no traffic        the fronts are updated, so that they send traffic again

// front is an object that sends traffic to a member.
type front struct {
	step  *plan.Step
	since time.Time // the time since which it sends no new traffic; the zero time while it sends
}

// isChanging reports whether the front is being changed, or is about to be.
func (f front) isChanging() bool { return f.step.Action == plan.Update || f.step.Action == plan.Wait }

// addFront adds user to the fronts of the member, if the object of the step user sends traffic to have, one of the member's objects.
func (gs *Groups) addFront(m *member, user *plan.Step, have *kind.Live) {
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

// drains reports whether the group ever drains its members.
func (g *group) drains() bool { return g.strategy.Drain > 0 && g.strategy.Type != rollout.Recreate }

// traffic returns which traffic the member at an index may get.
func (g *group) traffic(i int) kind.Traffic {
	m := g.members[i]
	up := m.runs()
	switch {
	case len(m.fronts) == 0 || !g.drains():
	case !up && slices.ContainsFunc(m.fronts, func(f front) bool { return !f.since.IsZero() }):
		return kind.TrafficPauses
	case up && g.decision.Verdicts[i] == rollout.Go && len(m.changes) > 0:
		return kind.TrafficEnds
	}
	return kind.TrafficNormal
}

// drained reports whether no front has sent new traffic to a member for long enough. If ignoreUnchanged is true, fronts that still send traffic
// and are not being changed do not count.
func (g *group) drained(m *member, now time.Time, ignoreUnchanged bool) bool {
	if !g.drains() || now.IsZero() || m.worker == nil || m.worker.Have == nil || !m.worker.Have.Phase.Usable() {
		return true
	}
	return !slices.ContainsFunc(m.fronts, func(f front) bool {
		if ignoreUnchanged && !f.isChanging() {
			return !f.since.IsZero() && f.since.Add(g.strategy.Drain).After(now)
		}
		return f.since.IsZero() || f.since.Add(g.strategy.Drain).After(now)
	})
}

// drain makes the changes of a member wait until no front has sent new traffic to it for long enough. If a front still sends traffic and
// is not being changed, the changes do not wait for that front.
func (g *group) drain(m *member, now time.Time) {
	if len(m.changes) == 0 || !g.drains() || now.IsZero() || m.healing() {
		return
	}
	for _, f := range m.fronts {
		switch until := f.since.Add(g.strategy.Drain); {
		case f.isChanging():
		case f.since.IsZero(), !until.After(now):
			continue
		default:
			f.step.AwaitServing(plan.Settling{Until: until})
		}
		for _, s := range m.changes {
			s.WaitFor(drainCause(f.step.Key, g.strategy.Drain), f.step.Key)
		}
	}
}

// drainCause returns the cause of a step that waits until its object is drained.
func drainCause(front manifest.Key, drain time.Duration) cause.Cause {
	return cause.Of(cause.Drained, front, drain)
}
