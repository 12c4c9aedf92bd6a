package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// placeOrphans says of which groups the objects were a part whose manifests are gone
// because the groups have fewer members now. Marks do not show it; names do:
//
//	GROUP-NUMBER          what bears the name of a member
//	GROUP-NUMBER-SUFFIX   what a member that is left has under that suffix
func (p *planner) placeOrphans() {
	var groups []*kind.Desired
	members := map[manifest.Key]*kind.Desired{} // one of each group
	for i := range p.steps {
		s := &p.steps[i]
		if s.want != nil || s.surplus {
			continue
		}
		if groups == nil {
			if groups = p.groupsWith(members); len(groups) == 0 {
				return
			}
		}
		for _, group := range groups {
			if p.wasWithin(s.Key, group, members[group.Key]) {
				s.Within = group.Key
			}
		}
	}
}

// groupsWith finds the groups of the stack, and notes a member of each.
func (p *planner) groupsWith(members map[manifest.Key]*kind.Desired) (groups []*kind.Desired) {
	for i := range p.Want {
		d := &p.Want[i]
		if k := p.kinds[d.Key.Kind]; d.Virtual && k != nil && k.Info().Members != "" {
			groups = append(groups, d)
		}
		if part := p.partOf(d); part != nil && part.member == d.Key && members[part.group] == nil {
			members[part.group] = d
		}
	}
	return groups
}

func (p *planner) wasWithin(key manifest.Key, group, member *kind.Desired) bool {
	if key.Namespace != group.Key.Namespace || !strings.HasPrefix(key.Name, group.Key.Name+"-") {
		return false
	}
	rest := key.Name[len(group.Key.Name)+1:]
	suffix := strings.TrimLeft(rest, "0123456789")
	switch {
	case suffix == rest:
		return false
	case member == nil:
		return suffix == ""
	}
	sibling := manifest.Key{Group: key.Group, Kind: key.Kind, Namespace: key.Namespace, Name: member.Key.Name + suffix}
	of := p.partOf(p.byKey[sibling])
	return of != nil && of.group == group.Key
}

// linger has the members that a group has no more stay for a while after its fronts have stopped sending
// something to them: so they finish what they have.
func (p *planner) linger() {
	fronts := map[manifest.Key][]*Step{}
	for i := range p.steps {
		s := &p.steps[i]
		group := p.byKey[s.Within]
		if s.Action != Delete || group == nil || group.Rollout == nil || group.Rollout.Drain == 0 || p.Now.IsZero() ||
			s.Key.Kind != p.kinds[p.kinds[s.Within.Kind].Info().Members].Info().Works || s.have.Down != "" {
			continue
		}
		if fronts[s.Within] == nil {
			fronts[s.Within] = p.frontsOf(s.Within)
		}
		for _, front := range fronts[s.Within] {
			until := front.have.Updated.Add(group.Rollout.Drain + time.Second) // clouds leave off what is less than a second
			if front.have.Updated.IsZero() || !until.After(p.Now) {
				continue
			}
			front.settling = &settling{until: until}
			s.Awaits = append(s.Awaits, front.Key)
			s.Turn = fmt.Sprintf("after %s has sent it nothing new for %s", front.Key, group.Rollout.Drain)
			s.Reason = s.Why() + "; " + s.Turn
		}
	}
}

// frontsOf are the steps of what sends something to members of a group.
func (p *planner) frontsOf(group manifest.Key) (fronts []*Step) {
	seen := map[*Step]bool{}
	for i := range p.steps {
		s := &p.steps[i]
		if s.have == nil {
			continue
		}
		if part := p.partOf(s.want); part == nil || part.group != group {
			continue
		}
		for _, user := range p.usersOf(s.have) {
			if front := p.stepOf(user); user.Drained != nil && front != nil && !seen[front] {
				fronts, seen[front] = append(fronts, front), true
			}
		}
	}
	return fronts
}
