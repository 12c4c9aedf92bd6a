package loadbalancer

import (
	"fmt"
	"slices"
)

// portList is the field whose elements are listeners. A pool that belongs to no element is reported under this field, too.
const portList = "spec.ports"

// leaves reports whether an element of a list is left to others, see [kind.Want].
type leaves func(list, id string) bool

// left are the listeners and pools that are left to others, by ID: they stay unchanged.
type left map[string]bool

// leftTo finds the listeners that are left to others, with the pools that they use, whether or not the cloud has finished them.
// A listener at a socket of the manifest belongs to the manifest.
func (b *Balancer) leftTo(others leaves, ports []*Listener) left {
	found := left{}
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

// alone are the pools of f that no other listener uses: the manifest's ports must not use them.
func (f left) alone(b *Balancer) map[string]bool {
	pools := map[string]bool{}
	for _, p := range b.Pools {
		if f[p.ID] && !slices.ContainsFunc(b.Listeners, func(l *Listener) bool { return !f[l.ID] && l.uses(p.ID) }) {
			pools[p.ID] = true
		}
	}
	return pools
}

// The lists of members, without the positions of their ports and policies.
const (
	memberList   = portList + ".realServers.members"
	redirectList = portList + ".l7Policies.redirectPool.realServers.members"
)

// keepLeft keeps the members that are left to others unchanged.
func (e *editor) keepLeft(p, old *Pool) {
	for _, m := range p.strangers(old, e.leaves) {
		p.Members = append(p.Members, m)
		e.others = append(e.others, old.names(m))
	}
}

// strangers are the members of old that are left to others. A member at a socket of p belongs to the manifest; p is nil where
// no pool replaces old.
func (p *Pool) strangers(old *Pool, others leaves) (list []*Member) {
	for _, o := range old.Members {
		taken := p != nil && slices.ContainsFunc(p.Members, func(m *Member) bool { return m.socket() == o.socket() })
		if !taken && (others(memberList, o.ID) || others(redirectList, o.ID)) {
			list = append(list, o)
		}
	}
	return list
}

// takes names the members that go with a pool although they are left to others.
func (e *editor) takes(p *Pool) (words []string) {
	for _, m := range e.successors[p.ID].strangers(p, e.leaves) {
		words = append(words, p.names(m))
	}
	e.others = append(e.others, words...)
	return words
}

// names is a member in words, with the ID by which the annotation names it.
func (p *Pool) names(m *Member) string {
	return fmt.Sprintf("member %s (%s) of pool %s", m.socket(), m.ID, p.Name)
}

// keep records the elements that are left to others, in words: a replacement of the load balancer would delete them.
func (e *editor) keep(left left, b *Balancer) {
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
