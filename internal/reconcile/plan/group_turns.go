package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// settleGroups notes the members that their groups leave as they are, and those that nothing is to be sent
// to, and reports whether there are any that were not known before.
func (p *planner) settleGroups() (news bool) {
	for _, g := range p.groups() {
		for i, m := range g.members {
			news = p.settleLeft(g, i) || news
			if traffic := g.traffic(i); traffic != kind.Flows && p.traffic[m.member] == kind.Flows {
				p.traffic[m.member], news = traffic, true
				for _, f := range m.fronts {
					p.drains[f.step.Key] = true
				}
			}
		}
		news = p.settleSpares(g) || news
		if !news { // who is left as it is needs no change, and can be healed
			news = p.settleHealing(g)
		}
	}
	return news
}

// turnOf is what objects inside a member's machine say of it: of several, it stays if one says so, and is last.
func (w *world) turnOf(m *member) (t kind.Interruptible) {
	for _, s := range m.steps {
		if s.have == nil {
			continue
		}
		for _, user := range w.cloud.UsersOf(s.have) {
			t.Stay, t.Last = cmp.Or(t.Stay, user.Interruptible.Stay), t.Last || user.Interruptible.Last
		}
	}
	return t
}

// inTurn has the members of every group wait for each other. A group cannot take turns when all of its
// members have to make way for something that they share, such as their subnet (see group_renewed.go).
func (p *planner) inTurn() {
	p.grouped = map[manifest.Key]*group{}
	for _, g := range p.everyGroup() {
		p.grouped[g.key] = g
		if g.busy() {
			p.decideGroup(g)
			p.takeTurnsIn(g)
		} else {
			p.judgeAll(g)
		}
		p.noteServing(g)
	}
}

func (p *planner) takeTurnsIn(g *group) {
	if !p.makeWay(g) {
		p.takeTurns(g)
		p.forecast(g)
	}
	p.awaitSpares(g)
	p.awaitUnproven(g)
	p.recall(g)
}

func (p *planner) takeTurns(g *group) {
	var first []manifest.Key
	var turn cause.Cause
	for i, m := range g.members {
		if g.decision.Verdicts[i] != rollout.Wait {
			for _, s := range m.changes {
				s.judges = g.judges
			}
			g.drain(m, p.Now)
			continue
		}
		if first == nil {
			first, turn = p.ahead(g)
		}
		for _, s := range m.changes {
			s.waitFor(turn, first...)
		}
	}
}

// waitFor has a step wait for others, and says until when.
func (s *Step) waitFor(turn cause.Cause, keys ...manifest.Key) {
	s.Awaits = append(s.Awaits, keys...)
	if !s.Turn.IsZero() {
		s.Causes = s.why().And(s.Turn)
	}
	s.Turn = turn
}

// ahead is what those who wait are waiting for, and what to say of it.
func (p *planner) ahead(g *group) (keys []manifest.Key, turn cause.Cause) {
	pace := g.pace()
	if g.unseen != (manifest.Key{}) {
		return []manifest.Key{g.unseen}, whenSeen(g.unseen)
	}
	if g.renewed != (manifest.Key{}) {
		return []manifest.Key{g.renewed}, cause.Of(cause.Turn, g.renewed, pace)
	}
	if at := g.decision.Awaited; at >= 0 {
		keys = p.awaited(g, g.members[at], g.decision.Until)
		if !g.decision.Until.IsZero() {
			return keys, cause.Of(cause.TurnWorked, keys[0], g.decision.For, pace)
		}
		if works := g.members[at].works; works != nil && works.sick != "" {
			return keys, cause.Of(cause.TurnSick, keys[0], works.sick, pace)
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

// awaited is what of a member others wait for. What something besides the cloud's work is
// waited for is looked at again and again; until is when it has worked for long enough, the zero time when it lacks
// something else.
func (p *planner) awaited(g *group, m *member, until time.Time) []manifest.Key {
	switch {
	case len(m.unfinished) > 0:
		return keysOf(m.unfinished)
	case m.accuser != nil:
		m.accuser.settling = &settling{whom: m.member, patience: g.strategy.Deadline, failing: m.failing()}
		p.noteFailing(g, m)
		return []manifest.Key{m.accuser.Key}
	case m.works == nil:
		return keysOf(m.steps)
	}
	if m.works.have != nil && m.works.have.Down != "" {
		return []manifest.Key{m.works.Key} // which does not pass by itself
	}
	m.works.settling = &settling{until: until, patience: g.strategy.Deadline}
	if m.found.Sure && until.IsZero() {
		m.works.settling.failing = m.failing()
		p.noteFailing(g, m)
	}
	return []manifest.Key{m.works.Key}
}

// awaitUnproven has the pass wait for members that have not served since they were made or changed, also where no other
// member waits for them: the last one that is changed, and the first of those that are left as they are.
func (p *planner) awaitUnproven(g *group) {
	for _, m := range g.members {
		if m.found.Unproven && !m.spare && len(m.changes) == 0 && len(m.unfinished) == 0 && !m.outdated() && m.works != nil && m.works.settling == nil {
			p.awaited(g, m, time.Time{})
		}
	}
}

func keysOf(steps []*Step) (keys []manifest.Key) {
	for _, s := range steps {
		keys = append(keys, s.Key)
	}
	return keys
}

// pace is how the members take turns.
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
