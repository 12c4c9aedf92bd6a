package octavia

import "github.com/stackreeve/stackreeve/internal/simulator/oslo"

// node returns an object of the tree as the status page shows it.
func (b *Base) node(more object) object {
	out := object{"id": b.ID, "name": b.Name, "operating_status": b.Operating, "provisioning_status": b.Provisioning}
	for k, v := range more {
		out[k] = v
	}
	return out
}

func (o *Octavia) statusTree(c *oslo.Call) (*oslo.Response, error) {
	lb, err := o.balancer.find(c, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	listeners := []any{}
	for _, l := range lb.listeners {
		pools := []any{}
		if l.DefaultPoolID != nil {
			if p := lb.poolByID(*l.DefaultPoolID); p != nil {
				pools = append(pools, p.statusNode())
			}
		}
		listeners = append(listeners, l.node(object{"pools": pools}))
	}
	return oslo.OK(object{"statuses": object{"loadbalancer": lb.node(object{"listeners": listeners})}}), nil
}

func (p *Pool) statusNode() object {
	members := []any{}
	for _, m := range p.members {
		members = append(members, m.node(object{"address": m.Address, "protocol_port": m.ProtocolPort}))
	}
	more := object{"members": members}
	if p.monitor != nil {
		more["health_monitor"] = p.monitor.node(object{"type": p.monitor.Type})
	}
	return p.node(more)
}

func (o *Octavia) stats(c *oslo.Call) (*oslo.Response, error) {
	if _, err := o.balancer.find(c, c.PathValue("id")); err != nil {
		return nil, err
	}
	return oslo.OK(object{"stats": object{"bytes_in": 0, "bytes_out": 0, "active_connections": 0, "total_connections": 0, "request_errors": 0}}), nil
}
