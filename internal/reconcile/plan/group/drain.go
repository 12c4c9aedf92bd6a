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

// Before a member is interrupted, what sends something to it (see [kind.Live.Drained]) stops doing so, and
// goes on when it is back. Where each member stands is seen in the cloud:
//
//	the member            what sends to it       then
//	-------------------   --------------------   --------------------------------------------
//	is to be interrupted  sends                  is changed first: to send nothing new
//	is to be interrupted  does not, since when   the member goes once that is long enough
//	is away               does not               stays so
//	is back               does not               is changed: to send again

// front is what sends something to a member.
type front struct {
	step  *plan.Step
	since time.Time // since when it does not; the zero time when it does
}

// changes reports whether it is being changed, or is about to be.
func (f front) changes() bool { return f.step.Action == plan.Update || f.step.Action == plan.Wait }

// faces notes a user of one of the member's objects that sends something to it.
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

// drains reports whether members are drained at all.
func (g *group) drains() bool { return g.strategy.Drain > 0 && g.strategy.Type != rollout.Recreate }

// traffic is what may be sent to a member.
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

// drained reports whether nothing new has been sent to a member for long enough, or never stops being sent
// although that was asked for.
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

// drain has the changes of a member wait until nothing new has been sent to it for long enough. What cannot
// be changed to send nothing is not waited for.
func (g *group) drain(m *member, now time.Time) {
	if len(m.changes) == 0 || !g.drains() || now.IsZero() || m.works.Healing {
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

// whenDrained is until when what is drained waits.
func whenDrained(front manifest.Key, drain time.Duration) cause.Cause {
	return cause.Of(cause.Drained, front, drain)
}
