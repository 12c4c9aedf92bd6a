package loadbalancer

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// portList is the field whose elements are listeners. A pool that no element has is named as one of it, too.
const portList = "spec.ports"

// leaves reports whether an element of a list is left to others, see [kind.Want].
type leaves func(list, id string) bool

// left are the listeners and pools that are left to others, by ID: they stay as they are.
type left map[string]bool

// leftTo finds them, with the pools that such listeners use. A listener at a socket that the manifest has is that of
// the manifest.
func (b *Balancer) leftTo(others leaves, ports []*Listener) left {
	found := left{}
	for _, l := range b.Listeners {
		if others(portList, l.ID) && !slices.ContainsFunc(ports, func(w *Listener) bool { return w.socket() == l.socket() }) {
			found[l.ID] = true
		}
	}
	for _, p := range b.Pools {
		if others(portList, p.ID) || slices.ContainsFunc(b.Listeners, func(l *Listener) bool { return found[l.ID] && l.uses(p.ID) }) {
			found[p.ID] = true
		}
	}
	return found
}

// alone are the pools among them that no other listener uses: the manifest's ports do not get them.
func (f left) alone(b *Balancer) map[string]bool {
	pools := map[string]bool{}
	for _, p := range b.Pools {
		if f[p.ID] && !slices.ContainsFunc(b.Listeners, func(l *Listener) bool { return !f[l.ID] && l.uses(p.ID) }) {
			pools[p.ID] = true
		}
	}
	return pools
}

// memberList is the list of a pool's members, wherever the pool stands among others.
func memberList(pool string) string {
	return kind.WithoutPlaces(pool + ".realServers.members")
}

// keepLeft keeps the members that are left to others, as they are.
func (p *Pool) keepLeft(old *Pool, others leaves) {
	list := memberList(p.field)
	for _, o := range old.Members {
		if others(list, o.ID) && !slices.ContainsFunc(p.Members, func(m *Member) bool { return m.socket() == o.socket() }) {
			p.Members = append(p.Members, o)
		}
	}
}
