package group

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// turnOf combines the wishes of all objects inside a member's machine about interrupting it. One object that wants the machine to stay, or
// to be the last, is enough.
func (w worldReader) turnOf(m *member) (t kind.Interruptible) {
	for _, s := range m.steps {
		if s.Have == nil {
			continue
		}
		for _, user := range w.Cloud.UsersOf(s.Have) {
			t.Stay, t.Last = cmp.Or(t.Stay, user.Interruptible.Stay), t.Last || user.Interruptible.Last
		}
	}
	return t
}

// InTurn makes the members of every group wait for each other. Members cannot take turns if all of them must be deleted before an object
// that they share, such as their subnet, can be replaced (see new_shared.go).
func (gs *Groups) InTurn() {
	for _, g := range gs.list {
		if g.decided {
			gs.takeTurnsIn(g)
		}
		gs.noteServing(g)
	}
}

func (gs *Groups) takeTurnsIn(g *group) {
	if !gs.deletedTogether(g) {
		gs.takeTurns(g)
	}
	gs.awaitSpares(g)
	gs.awaitUnproven(g)
	gs.recallFallback(g)
}

func (gs *Groups) takeTurns(g *group) {
	var first []manifest.Key
	var turn cause.Cause
	for i, m := range g.members {
		if g.decision.Verdicts[i] != rollout.Wait {
			for _, s := range m.changes {
				s.Judges = g.judges
			}
			g.drain(m, gs.Now)
			continue
		}
		if first == nil {
			first, turn = gs.awaitedKeys(g)
		}
		for _, s := range m.changes {
			s.WaitFor(turn, first...)
		}
	}
}

// awaitedKeys returns the keys of the objects that the waiting members wait for, and the reason.
func (gs *Groups) awaitedKeys(g *group) (keys []manifest.Key, turn cause.Cause) {
	pace := g.pace()
	if g.unseen != (manifest.Key{}) {
		return []manifest.Key{g.unseen}, unlistedJudgeCause(g.unseen)
	}
	if g.newShared != (manifest.Key{}) {
		return []manifest.Key{g.newShared}, cause.Of(cause.Turn, g.newShared, pace)
	}
	if at := g.decision.Awaited; at >= 0 {
		keys = gs.awaited(g, g.members[at], g.decision.Until)
		if !g.decision.Until.IsZero() {
			return keys, cause.Of(cause.TurnWorked, keys[0], g.decision.For, pace)
		}
		if m := g.members[at]; m.runs() && m.probed.Sick != "" {
			return keys, cause.Of(cause.TurnSick, keys[0], m.probed.Sick, pace)
		}
		return keys, cause.Of(cause.Turn, keys[0], pace)
	}
	for i, m := range g.members {
		if g.decision.Verdicts[i] == rollout.Go && len(m.changes) > 0 {
			keys = keysOf(m.changes)
			return keys, cause.Of(cause.Turn, keys[0], pace)
		}
	}
	return []manifest.Key{g.key}, cause.Of(cause.TurnMore, g.key, pace)
}

// awaited returns the keys of a member's objects for which other members wait. If no step of the plan would end the wait, it makes the
// engine check the object again and again. until is the time at which the member will have served for long enough; the zero time if it
// lacks something else.
func (gs *Groups) awaited(g *group, m *member, until time.Time) []manifest.Key {
	switch {
	case len(m.unfinished) > 0:
		return keysOf(m.unfinished)
	case m.reporter != nil:
		m.reporter.AwaitServing(plan.Settling{Member: m.Member, Patience: g.strategy.Deadline, Failing: m.failing()})
		gs.noteFailing(g, m)
		return []manifest.Key{m.reporter.Key}
	case m.worker == nil:
		return keysOf(m.steps)
	}
	if m.worker.Have != nil && m.worker.Have.Down != "" {
		return []manifest.Key{m.worker.Key} // the engine need not check again, because the object stays down until a person or a step changes it
	}
	well := plan.Settling{Until: until, Patience: g.strategy.Deadline}
	if m.probed.Sure && until.IsZero() {
		well.Failing = m.failing()
		gs.noteFailing(g, m)
	}
	m.worker.AwaitServing(well)
	return []manifest.Key{m.worker.Key}
}

// awaitUnproven makes the pass wait for members that have not served since they were created or changed, even if no other member waits for
// them. Examples are the last member of a change, and the last one that is changed before the members that stay frozen.
func (gs *Groups) awaitUnproven(g *group) {
	for _, m := range g.members {
		if m.probed.Unproven && !m.spare && len(m.changes) == 0 && len(m.unfinished) == 0 && !m.outdated() && m.worker != nil && m.worker.Settles == nil {
			gs.awaited(g, m, time.Time{})
		}
	}
}

func keysOf(steps []*plan.Step) (keys []manifest.Key) {
	for _, s := range steps {
		keys = append(keys, s.Key)
	}
	return keys
}

// pace says, in words, how many members are changed at a time.
func (g *group) pace() string {
	replicas, members := g.replicas(), "one member"
	if n := g.strategy.Unavailable(replicas) + g.strategy.Surge(replicas); n > 1 {
		members = fmt.Sprintf("%d members", n)
	}
	text := fmt.Sprintf("%s of %s at a time", members, g.key)
	if g.drains() && slices.ContainsFunc(g.members, func(m *member) bool { return len(m.fronts) > 0 }) {
		text += fmt.Sprintf(", each drained for %s", g.strategy.Drain)
	}
	return text
}
