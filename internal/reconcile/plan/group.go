package plan

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// The members of a group stand in for each other (see [kind.Info.Members]), so a change
// that interrupts them is made to one at a time, and to the next one only when all
// of the last one is ready and what spreads work over them reports that it serves:
//
//	a member is being made, or gone       only that member goes on
//	a changed member does not serve yet   nobody goes on
//	otherwise                             the first one that is to be changed
//
// A group cannot take turns when all of its members have to make way for something
// that they share, such as their subnet.

// part is where an object belongs that is, or belongs to, a member of a group.
type part struct{ group, member manifest.Key }

// member is what a group consists of: all steps of one of its children.
type member struct {
	*part
	// changes are the steps that interrupt a member that works, unready those that
	// make or await something of it.
	changes, unready []*Step
	steps            []*Step
}

// inTurn has the members of every group wait for each other.
func (p *planner) inTurn() {
	var order []manifest.Key
	groups := map[manifest.Key][]*member{}
	at := map[manifest.Key]*member{}
	for i := range p.steps {
		s := &p.steps[i]
		if s.part = p.partOf(s.want); s.part == nil || s.surplus {
			continue
		}
		m := at[s.part.member]
		if m == nil {
			m = &member{part: s.part}
			at[m.member] = m
			if groups[m.group] == nil {
				order = append(order, m.group)
			}
			groups[m.group] = append(groups[m.group], m)
		}
		s.part = m.part // one for all of a member
		m.add(s)
	}
	for _, group := range order {
		p.takeTurns(group, groups[group])
	}
}

// partOf finds the group, and the member of it, that an object is or belongs to;
// nil when there is none.
func (p *planner) partOf(d *kind.Desired) *part {
	for ; d != nil && d.Parent != (manifest.Key{}); d = p.byKey[d.Parent] {
		if p.kinds[d.Parent.Kind].Info().Members == d.Key.Kind {
			return &part{d.Parent, d.Key}
		}
	}
	return nil
}

func (m *member) add(s *Step) {
	m.steps = append(m.steps, s)
	works := s.have != nil && s.have.Phase.Usable()
	switch {
	case s.Action.Writes() && works && s.Disruption() >= kind.Reboot:
		m.changes = append(m.changes, s)
	case s.Action == Create, s.Action == Wait && !s.Error, s.Action == Recreate:
		m.unready = append(m.unready, s)
	}
}

func (p *planner) takeTurns(group manifest.Key, members []*member) {
	var queue, unready, done []*member
	for _, m := range members {
		switch {
		case len(m.unready) > 0:
			unready = append(unready, m)
		case len(m.changes) > 0:
			queue = append(queue, m)
		default:
			done = append(done, m)
		}
	}
	if len(queue) == 0 || len(queue)+len(unready) == 1 || p.makeWay(queue) {
		return
	}
	var first []manifest.Key
	switch idle := p.notServing(done); {
	case len(unready) > 0:
		first = keysOf(unready[0].unready)
	case idle != nil:
		idle.settling = true
		first = []manifest.Key{idle.Key}
	default:
		first, queue = keysOf(queue[0].changes), queue[1:]
	}
	for _, m := range queue {
		for _, s := range m.changes {
			s.Awaits = append(s.Awaits, first...)
			s.Turn = fmt.Sprintf("after %s, one member of %s at a time", first[0], group)
			s.Reason = s.Why() + "; " + s.Turn
		}
	}
}

// makeWay reports whether the members go because something goes that they share.
func (p *planner) makeWay(members []*member) bool {
	for _, m := range members {
		for _, s := range m.changes {
			if slices.ContainsFunc(s.want.Refs, func(ref kind.RefSpec) bool { return ref.Fixed && p.doomed[ref.Key] && !m.has(ref.Key) }) {
				return true
			}
		}
	}
	return false
}

func (m *member) has(key manifest.Key) bool {
	return slices.ContainsFunc(m.steps, func(s *Step) bool { return s.Key == key })
}

// notServing is the step of an object that uses one of the members and says that
// it does not serve; nil when all of them do.
func (p *planner) notServing(members []*member) *Step {
	for _, m := range members {
		for _, s := range m.steps {
			if s.have == nil {
				continue
			}
			for _, user := range p.usersOf(s.have) {
				if slices.ContainsFunc(user.Unwell, func(token string) bool { return slices.Contains(s.have.Tokens, token) || token == s.have.ID }) {
					return p.stepOf(user)
				}
			}
		}
	}
	return nil
}

func (p *planner) stepOf(live *kind.Live[any]) *Step {
	for i := range p.steps {
		if p.steps[i].have == live && p.steps[i].want != nil {
			return &p.steps[i]
		}
	}
	return nil
}

func keysOf(steps []*Step) (keys []manifest.Key) {
	for _, s := range steps {
		keys = append(keys, s.Key)
	}
	return keys
}
