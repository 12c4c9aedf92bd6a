package octavia

import (
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

func (o *Octavia) addTree() {
	o.handle("POST", "loadbalancers", o.createBalancer)
	o.handle("PUT", "loadbalancers/{id}", o.updateBalancer)
	o.handle("DELETE", "loadbalancers/{id}", o.deleteBalancer)
	o.handle("GET", "loadbalancers/{id}/status", o.statusTree)
	o.handle("GET", "loadbalancers/{id}/stats", o.stats)
	o.handle("POST", "listeners", o.createListener)
	o.handle("POST", "pools", o.createPool)
	o.handle("POST", "healthmonitors", o.createMonitor)
	o.handle("POST", "pools/{pool}/members", o.createMember)
	o.handle("PUT", "pools/{pool}/members", o.batchMembers)
	change(o, "listeners/{id}", o.listener, listenerPUT, func(l *Listener) (*LoadBalancer, *Pool) { return l.lb, nil })
	change(o, "pools/{id}", o.pool, poolPUT, func(p *Pool) (*LoadBalancer, *Pool) { return p.lb, p })
	change(o, "pools/{pool}/members/{id}", o.member, memberPUT, func(m *Member) (*LoadBalancer, *Pool) { return m.pool.lb, m.pool })
	change(o, "healthmonitors/{id}", o.monitor, monitorPUT, func(m *HealthMonitor) (*LoadBalancer, *Pool) { return m.pool.lb, m.pool })
}

// change adds the routes that update and delete a child.
func change[T any](o *Octavia, path string, r *resource[T], put schema, in func(*T) (*LoadBalancer, *Pool)) {
	o.handle("PUT", path, func(c *oslo.Call) (*oslo.Response, error) {
		rec, err := r.find(c, c.PathValue("id"))
		if err != nil {
			return nil, err
		}
		body, bad := body(c, r.singular)
		if bad == nil {
			bad = put.check(body)
		}
		if bad != nil {
			return nil, bad
		}
		lb, pool := in(rec)
		if err := free(lb, pool, r.what, r.base(rec).ID); err != nil {
			return nil, err
		}
		if err := o.prepare(rec, body); err != nil {
			return nil, err
		}
		if err := take(body, rec); err != nil {
			return nil, err
		}
		o.lock(lb, touched(r.base(rec), pool)...)
		return oslo.OK(map[string]any{r.singular: rec}), nil
	})
	o.handle("DELETE", path, func(c *oslo.Call) (*oslo.Response, error) {
		rec, err := r.find(c, c.PathValue("id"))
		if err != nil {
			return nil, err
		}
		lb, pool := in(rec)
		if err := free(lb, pool, r.what, r.base(rec).ID); err != nil {
			return nil, err
		}
		around := touched(r.base(rec), pool)
		if p, ok := any(rec).(*Pool); ok {
			if err := p.leave(lb); err != nil {
				return nil, err
			}
		}
		r.base(rec).Provisioning = pendingDelete
		o.lock(lb, around...)
		return oslo.NoContent(), nil
	})
}

// prepare makes a child ready for an update, or returns an error.
func (o *Octavia) prepare(rec any, body object) error {
	if l, ok := rec.(*Listener); ok {
		if err := l.mayPoint(body); err != nil {
			return err
		}
		if err := o.mayRead(l, body); err != nil {
			return err
		}
		if _, given := body["insert_headers"]; given {
			l.InsertHeaders = map[string]string{} // otherwise the new headers would be added
		}
	}
	return judgePersistence(body, rec)
}

// leave removes a pool that is being deleted from the listeners that use it, or returns an error.
func (p *Pool) leave(lb *LoadBalancer) error {
	if err := p.mayGo(); err != nil {
		return err
	}
	for _, l := range p.usedBy() { // only listeners whose default pool it is, because mayGo refuses the others
		l.DefaultPoolID = nil
	}
	lb.resumeListeners()
	return nil
}

// free returns an error if the load balancer is being changed. For a change inside a pool, it also returns an
// error if the pool is not ACTIVE. That error names the pool.
func free(lb *LoadBalancer, pool *Pool, what, id string) error {
	if lb.Provisioning == active && (pool == nil || pool.ID == id || pool.Provisioning == active) {
		return nil
	}
	if pool != nil {
		what, id = "Pool", pool.ID
	}
	return immutable(what, id)
}

// touched returns the objects that are locked together with the load balancer.
func touched(rec *Base, pool *Pool) []*Base {
	out := []*Base{rec}
	if pool != nil {
		out = append(out, &pool.Base)
		for _, l := range pool.usedBy() {
			out = append(out, &l.Base)
		}
	}
	return out
}

// newListener adds a listener. The caller has checked its attributes.
func (o *Octavia) newListener(c *oslo.Call, lb *LoadBalancer, in object) (*Listener, error) {
	l := &Listener{Base: o.newBase(c), lb: lb, ConnectionLimit: -1, SNIContainers: []string{}, L7Policies: []ref{}, InsertHeaders: map[string]string{},
		ClientData: 50000, MemberConnect: 5000, MemberData: 50000, ClientAuth: "NONE"}
	if err := take(in, l); err != nil {
		return nil, err
	}
	l.ProjectID, l.TenantID = lb.ProjectID, lb.ProjectID
	if err := lb.bearsListener(l); err != nil {
		return nil, err
	}
	if err := l.judgeTLS(); err != nil {
		return nil, err
	}
	if l.Protocol == "TERMINATED_HTTPS" && l.TLSContainer == nil && len(l.SNIContainers) == 0 {
		return nil, invalid("An SNI or default certificate container reference must be provided for TERMINATED_HTTPS protocol listeners.")
	}
	if err := o.mayRead(l, in); err != nil {
		return nil, err
	}
	if err := o.reserve(lb.ProjectID, "listener", 1); err != nil {
		return nil, err
	}
	if err := l.mayPoint(in); err != nil {
		return nil, err
	}
	for _, other := range lb.listeners {
		if other.ProtocolPort == l.ProtocolPort && transport(other.Protocol) == transport(l.Protocol) {
			return nil, conflict("Another Listener on this Load Balancer is already using protocol %s and protocol_port %d", other.Protocol, l.ProtocolPort)
		}
	}
	lb.listeners = append(lb.listeners, l)
	return l, nil
}

// newPool adds a pool. The caller has checked its attributes.
func (o *Octavia) newPool(c *oslo.Call, lb *LoadBalancer, in object) (*Pool, error) {
	p := &Pool{Base: o.newBase(c), lb: lb}
	p.Protocol, _ = in["protocol"].(string)
	if err := judgePersistence(in, p); err != nil {
		return nil, err
	}
	if err := take(in, p); err != nil {
		return nil, err
	}
	p.ProjectID, p.TenantID = lb.ProjectID, lb.ProjectID
	if err := lb.bearsPool(p); err != nil {
		return nil, err
	}
	if err := o.reserve(lb.ProjectID, "pool", 1); err != nil {
		return nil, err
	}
	lb.pools = append(lb.pools, p)
	return p, nil
}

func (o *Octavia) createListener(c *oslo.Call) (*oslo.Response, error) {
	in, bad := body(c, "listener")
	if bad == nil {
		bad = listenerPOST.check(in)
	}
	if bad != nil {
		return nil, bad
	}
	id, _ := in["loadbalancer_id"].(string)
	delete(in, "loadbalancer_id")
	lb, err := o.balancer.find(c, id)
	if err != nil {
		return nil, err
	}
	if err := o.reserve(lb.ProjectID, "listener", 1); err != nil {
		return nil, err
	}
	if lb.Provisioning != active {
		return nil, immutable("Load Balancer", lb.ID)
	}
	l, err := o.newListener(c, lb, in)
	if err != nil {
		return nil, err
	}
	o.lock(lb, &l.Base)
	return oslo.Created(map[string]any{"listener": l}), nil
}

func (o *Octavia) createPool(c *oslo.Call) (*oslo.Response, error) {
	in, bad := body(c, "pool")
	if bad == nil {
		bad = poolPOST.check(in)
	}
	if bad != nil {
		return nil, bad
	}
	lb, l, err := o.homeOf(c, in)
	if err != nil {
		return nil, err
	}
	if err := o.reserve(lb.ProjectID, "pool", 1); err != nil {
		return nil, err
	}
	if lb.Provisioning != active {
		return nil, immutable("Load Balancer", lb.ID)
	}
	p, err := o.newPool(c, lb, in)
	if err != nil {
		return nil, err
	}
	if l != nil {
		l.DefaultPoolID = &p.ID
	}
	o.lock(lb, touched(&p.Base, p)...)
	return oslo.Created(map[string]any{"pool": p}), nil
}

// homeOf returns the load balancer of a new pool, and the listener whose default pool it becomes, if any.
func (o *Octavia) homeOf(c *oslo.Call, in object) (*LoadBalancer, *Listener, error) {
	lbID, _ := in["loadbalancer_id"].(string)
	listenerID, _ := in["listener_id"].(string)
	delete(in, "loadbalancer_id")
	delete(in, "listener_id")
	switch {
	case listenerID != "":
		l, err := o.listener.find(c, listenerID)
		if err != nil {
			return nil, nil, err
		}
		if l.DefaultPoolID != nil {
			return nil, nil, conflict("This listener already has a default pool")
		}
		return l.lb, l, fits(l, &Pool{Protocol: in["protocol"].(string)})
	case lbID != "":
		lb, err := o.balancer.find(c, lbID)
		return lb, nil, err
	}
	return nil, nil, invalid("Must provide at least one of: loadbalancer_id, listener_id")
}
