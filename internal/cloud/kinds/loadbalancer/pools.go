package loadbalancer

import (
	"fmt"
	"slices"
)

// poolFor finds an existing pool that can be used for l. It is the pool of the listener old, or an unused pool with the
// wanted name, which an interrupted update has left.
func (b *Balancer) poolFor(l, old *Listener, taken map[string]bool) *Pool {
	fits := func(p *Pool) bool { return p != nil && p.Protocol == l.Pool.Protocol && !taken[p.ID] }
	if old != nil {
		if p := b.pool(old.PoolID); fits(p) {
			return p
		}
	}
	for _, p := range b.Pools {
		if fits(p) && !b.used(p.ID) && p.Name == l.Pool.Name {
			return p
		}
	}
	return nil
}

// used reports whether a listener or an L7 policy uses the pool.
func (b *Balancer) used(id string) bool {
	return slices.ContainsFunc(b.Listeners, func(l *Listener) bool { return l.uses(id) })
}

func (l *Listener) uses(pool string) bool { return l.PoolID == pool || l.redirects(pool) }

func (l *Listener) redirects(id string) bool {
	return slices.ContainsFunc(l.Policies, func(p *Policy) bool { return p.PoolID == id })
}

// redirecting records the change that causes the removal of these policies. The same change removes their pools, because
// Octavia refuses to remove a pool while a policy uses it.
func (e *editor) redirecting(policies []*Policy, cause string) {
	for _, p := range policies {
		e.users[p.PoolID] = cause
	}
}

// redirectPool appends the edits for the pool that p redirects to.
func (e *editor) redirectPool(b *Balancer, l, old *Listener, p *Policy, kept map[string]bool) {
	if p.Pool == nil {
		return
	}
	cause := l.field
	pool := b.redirectPoolFor(e.pairs[p], p, kept)
	if pool != nil {
		kept[pool.ID] = true
		p.adoptName(pool)
	} else if was := e.pairs[p]; was != nil && was.PoolID != "" {
		e.successors[was.PoolID] = p.Pool
	}
	if old != nil {
		cause = l.field + ".l7Policies"
	}
	e.pool(p.Pool, pool, cause)
}

// redirectPoolFor finds an existing pool that can be used for p, as poolFor does. The argument was is the existing policy, or nil.
func (b *Balancer) redirectPoolFor(was, p *Policy, taken map[string]bool) *Pool {
	fits := func(have *Pool) bool { return have != nil && have.Protocol == p.Pool.Protocol && !taken[have.ID] }
	if was != nil {
		if have := b.pool(was.PoolID); fits(have) {
			return have
		}
	}
	return first(b.Pools, func(have *Pool) bool { return fits(have) && !b.used(have.ID) && have.Name == p.Pool.Name })
}

// persistence says how the load balancer recognises a client. The zero value means that it does not recognise clients.
type persistence struct {
	Type        string `json:"type" api:"type"`
	Cookie      string `json:"cookieName" api:"cookie_name"`
	Timeout     int    `json:"timeout" api:"persistence_timeout"`
	Granularity string `json:"granularity" api:"persistence_granularity"`
}

// String returns the persistence as a text for people, which is also used to compare.
func (p persistence) String() string {
	text := p.Type
	if p.Cookie != "" {
		text += " " + p.Cookie
	}
	if p.Timeout != 0 {
		text += fmt.Sprintf(" for %d s", p.Timeout)
	}
	if p.Granularity != "" {
		text += " by " + p.Granularity
	}
	return text
}
