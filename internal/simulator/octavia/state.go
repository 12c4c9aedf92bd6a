package octavia

import (
	"slices"
	"strings"
)

// lock sets the load balancer and all objects of an operation to PENDING states. After the delay, they become
// ACTIVE or are removed.
func (o *Octavia) lock(lb *LoadBalancer, touched ...*Base) {
	now := stamp(o.cloud.Now())
	lb.Provisioning, lb.UpdatedAt = pendingUpdate, &now
	for _, b := range touched {
		if b.stuck && b.Provisioning == pendingCreate {
			b.Provisioning = active
		}
		b.stuck = false
		if !strings.HasPrefix(b.Provisioning, "PENDING_") {
			b.Provisioning, b.UpdatedAt = pendingUpdate, &now
		}
	}
	lb.refresh()
	o.settleLater(lb)
}

func (o *Octavia) settleLater(lb *LoadBalancer) {
	o.cloud.After(o.opts.PendingDelay, func() {
		if have, ok := o.lbs.Get(lb.ID); ok && have == lb {
			o.settle(lb)
		}
	})
}

// settle does the last step of the real worker. A health monitor becomes ONLINE if it is created or changed
// alone. A monitor that is created with its load balancer stays OFFLINE
// (controller/worker/v2/tasks/database_tasks.py: MarkLBActiveInDB).
func (o *Octavia) settle(lb *LoadBalancer) {
	if lb.Provisioning == pendingDelete {
		o.lbs.Remove(lb.ID)
		if lb.VIPPortID != "" {
			_ = o.neutron.DeletePort(lb.VIPPortID) // a user may have deleted the port
		}
		return
	}
	lb.listeners = slices.DeleteFunc(lb.listeners, func(l *Listener) bool { return l.Provisioning == pendingDelete })
	lb.pools = slices.DeleteFunc(lb.pools, func(p *Pool) bool { return p.Provisioning == pendingDelete })
	alone := lb.Provisioning != pendingCreate
	if !alone && (o.opts.ChildrenStuck || lb.Provider == ovn) {
		lb.abandonChildren()
	}
	for _, l := range lb.listeners {
		l.dropDeleted()
	}
	for _, p := range lb.pools {
		p.members = slices.DeleteFunc(p.members, func(m *Member) bool { return m.Provisioning == pendingDelete })
		if p.monitor != nil && p.monitor.Provisioning == pendingDelete {
			p.monitor = nil
		}
		if m := p.monitor; m != nil && alone && !m.stuck && strings.HasPrefix(m.Provisioning, "PENDING_") {
			m.Operating = up(m.AdminStateUp)
		}
	}
	now := stamp(o.cloud.Now())
	for _, b := range lb.bases() {
		if strings.HasPrefix(b.Provisioning, "PENDING_") && !b.stuck {
			b.Provisioning, b.UpdatedAt = active, &now
		}
	}
	lb.refresh()
	lb.judge(o.down)
}

// abandonChildren leaves all objects except the load balancer in PENDING_CREATE. The flow of 11.0.0 for a new
// load balancer loses the listeners (controller/worker/v2/controller_worker.py: run_flow).
func (lb *LoadBalancer) abandonChildren() {
	for _, b := range lb.bases() {
		b.stuck = b != &lb.Base
	}
}

// resumeListeners sets all listeners to ACTIVE, even stuck ones. The flow that deletes a pool ends with that
// (controller/worker/v2/controller_worker.py: delete_pool).
func (lb *LoadBalancer) resumeListeners() {
	for _, l := range lb.listeners {
		l.stuck = false
	}
}

// judge sets the operating statuses that the amphora's heartbeat would report
// (octavia/amphorae/drivers/health/heartbeat_udp.py). The load balancer gets the status of its worst pool.
func (lb *LoadBalancer) judge(down map[string]bool) {
	lb.Operating = online
	for _, p := range lb.pools {
		p.judge(down)
		if p.Operating == failing || p.Operating == degraded && lb.Operating == online {
			lb.Operating = p.Operating
		}
	}
	for _, l := range lb.listeners {
		l.Operating = up(l.AdminStateUp)
	}
	if !lb.AdminStateUp {
		lb.Operating = offline
	}
}

func up(admin bool) string {
	if admin {
		return online
	}
	return offline
}

func (p *Pool) judge(down map[string]bool) {
	bad := 0
	for _, m := range p.members {
		switch {
		case !m.AdminStateUp:
			m.Operating = offline
		case p.monitor == nil:
			m.Operating = noMonitor
		case down[m.Address]:
			m.Operating = failing
			bad++
		case m.Weight == 0:
			m.Operating = draining
		default:
			m.Operating = online
		}
	}
	switch {
	case !p.AdminStateUp:
		p.Operating = offline
	case bad > 0 && bad == len(p.members):
		p.Operating = failing
	case bad > 0:
		p.Operating = degraded
	default:
		p.Operating = online
	}
}
