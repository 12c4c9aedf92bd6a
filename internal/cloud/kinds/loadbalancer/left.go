package loadbalancer

import (
	"fmt"
	"slices"
)

// portList is the field whose elements are listeners. A pool without an element of the manifest is reported at this
// field, too.
const portList = "spec.ports"

// foreignCheck reports whether an element of a list is left to others, see [kind.Want].
type foreignCheck func(list, id string) bool

// foreignIDs are the IDs of the listeners and pools that are left to others. They are not changed.
type foreignIDs map[string]bool

// foreignIn returns the listeners that the annotation ignore-fields leaves to others, and the pools that these listeners
// use. Unfinished listeners and pools are included. A listener with the protocol and port of a listener in the manifest
// is not left to others.
func (b *Balancer) foreignIn(others foreignCheck, ports []*Listener) foreignIDs {
	found := foreignIDs{}
	listeners := slices.Concat(b.Listeners, b.Stuck.listeners)
	for _, l := range listeners {
		if others(portList, l.ID) && !slices.ContainsFunc(ports, func(w *Listener) bool { return w.socket() == l.socket() }) {
			found[l.ID] = true
		}
	}
	for _, p := range slices.Concat(b.Pools, b.Stuck.pools) {
		if others(portList, p.ID) || slices.ContainsFunc(listeners, func(l *Listener) bool { return found[l.ID] && l.uses(p.ID) }) {
			found[p.ID] = true
		}
	}
	return found
}

// poolsOfForeign returns the pools in f that are used only by listeners in f. The manifest's ports must not use them.
func (f foreignIDs) poolsOfForeign(b *Balancer) map[string]bool {
	pools := map[string]bool{}
	for _, p := range b.Pools {
		if f[p.ID] && !slices.ContainsFunc(b.Listeners, func(l *Listener) bool { return !f[l.ID] && l.uses(p.ID) }) {
			pools[p.ID] = true
		}
	}
	return pools
}

// The lists of members, without the indexes of ports and policies.
const (
	memberList   = portList + ".realServers.members"
	redirectList = portList + ".l7Policies.redirectPool.realServers.members"
)

// keepForeign adds the members that are left to others to p, so that they are not changed.
func (e *editor) keepForeign(p, old *Pool) {
	for _, m := range p.foreignMembers(old, e.isForeign) {
		p.Members = append(p.Members, m)
		e.others = append(e.others, old.names(m))
	}
}

// foreignMembers returns the members of old that are left to others. A member at a socket of p is not left to others. p is
// nil if no pool replaces old.
func (p *Pool) foreignMembers(old *Pool, others foreignCheck) (list []*Member) {
	for _, o := range old.Members {
		taken := p != nil && slices.ContainsFunc(p.Members, func(m *Member) bool { return m.socket() == o.socket() })
		if !taken && (others(memberList, o.ID) || others(redirectList, o.ID)) {
			list = append(list, o)
		}
	}
	return list
}

// foreignMembers returns descriptions of the members that would be removed with a pool although they are left to others.
func (e *editor) foreignMembers(p *Pool) (words []string) {
	for _, m := range e.successors[p.ID].foreignMembers(p, e.isForeign) {
		words = append(words, p.names(m))
	}
	e.others = append(e.others, words...)
	return words
}

// names returns a text for a member. It contains the ID by which the annotation refers to the member.
func (p *Pool) names(m *Member) string {
	return fmt.Sprintf("member %s (%s) of pool %s", m.socket(), m.ID, p.Name)
}

// noteForeign records descriptions of the listeners and pools that are left to others, because replacing the load balancer
// would delete them.
func (e *editor) noteForeign(left foreignIDs, b *Balancer) {
	for _, l := range slices.Concat(b.Listeners, b.Stuck.listeners) {
		if left[l.ID] {
			e.others = append(e.others, fmt.Sprintf("listener %s %d (%s)", l.Protocol, l.Port, l.ID))
		}
	}
	for _, p := range slices.Concat(b.Pools, b.Stuck.pools) {
		if left[p.ID] {
			e.others = append(e.others, fmt.Sprintf("pool %s (%s)", p.Name, p.ID))
		}
	}
}
