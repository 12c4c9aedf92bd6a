package loadbalancer

import "github.com/stackreeve/stackreeve/internal/cloud/table"

// memberBodies returns the members for a batch update. Each has exactly the writable fields, because Octavia does not
// change missing fields and refuses others.
func (p *Pool) memberBodies() []map[string]any {
	out := make([]map[string]any, len(p.Members))
	for i, m := range p.Members {
		plain := *m
		plain.child = child{}
		out[i] = table.Body(&plain)
		out[i]["monitor_port"], out[i]["monitor_address"] = m.MonitorPort, text(m.MonitorAddress)
	}
	return out
}

// populated returns the body of a request that creates the pool with its members and its health monitor.
func (p *Pool) populated() map[string]any {
	body := table.Given(p)
	body["members"] = p.memberBodies()
	if p.Monitor != nil {
		body["healthmonitor"] = table.Given(p.Monitor)
	}
	return body
}

// populated returns the body of a request that creates the listener with its default pool and its L7 policies.
func (l *Listener) populated() map[string]any {
	body := table.Given(l)
	body["default_pool"] = l.Pool.populated()
	if len(l.Policies) == 0 {
		return body
	}
	policies := make([]map[string]any, len(l.Policies))
	for i, p := range l.Policies {
		policies[i] = p.populated(i + 1)
	}
	body["l7policies"] = policies
	return body
}

// pools returns the default pool and the redirect pools of a wanted listener.
func (l *Listener) pools() []*Pool {
	out := []*Pool{l.Pool}
	for _, p := range l.Policies {
		if p.Pool != nil {
			out = append(out, p.Pool)
		}
	}
	return out
}
