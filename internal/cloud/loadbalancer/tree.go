package loadbalancer

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// listener is a port of the manifest, in Octavia's words.
type listener struct {
	field, name, protocol string
	port                  int
	cidrs                 []string
	timeouts              Timeouts
	pool                  pool
}

type pool struct {
	field, name, protocol, algorithm string
	members                          []member
	// missing is a machine, or the port of one, that has no address yet, "" for none.
	missing string
	monitor *monitor
}

type member struct {
	name, address, subnet string
	port                  int
	monitorPort           *int
}

type monitor struct {
	field, name, kind, method, path, codes string
	delay, timeout, retries                int
}

// listenersOf says what Octavia shall have under the load balancer.
func listenersOf(w kind.Want[Spec]) []listener {
	out := make([]listener, len(w.Spec.Ports))
	for i := range w.Spec.Ports {
		p := &w.Spec.Ports[i]
		l := listener{field: portField(i), protocol: octaviaProtocol[p.Protocol], port: p.Port, cidrs: p.AllowedCIDRs, timeouts: cloud.Or(p.Timeouts, Timeouts{})}
		l.name = childName(w.Key.Name, l.protocol, p.Port)
		l.pool = poolOf(w, p, l.name, l.field)
		out[i] = l
	}
	return out
}

// childName is what the things under the load balancer are called.
func childName(name, protocol string, port int) string {
	text := fmt.Sprintf("%s-%d", name, port)
	if t := transport(protocol); t != "tcp" {
		text += "-" + t
	}
	return text
}

func poolOf(w kind.Want[Spec], p *Port, name, field string) pool {
	out := pool{
		field: field, name: name, protocol: octaviaProtocol[cloud.Or(p.RealServers.Protocol, p.Protocol)],
		algorithm: octaviaAlgorithm[cloud.Or(p.Algorithm, "roundRobin")],
	}
	port := cloud.Or(p.RealServers.Port, p.Port)
	var monitorPort *int
	if len(p.Monitors) > 0 {
		out.monitor = monitorOf(&p.Monitors[0], name, field+".monitors[0]")
		if at := cloud.Or(p.Monitors[0].Port, port); at != port {
			monitorPort = &at
		}
	}
	add := func(name, address, subnet string) {
		m := member{name: name, address: table.IP(address), subnet: subnet, port: port, monitorPort: monitorPort}
		same := func(o member) bool { return o.address == m.address }
		if !slices.ContainsFunc(out.members, same) {
			out.members = append(out.members, m)
		}
	}
	refer := func(kind, name string) {
		ref := w.Ref(kind, name)
		if ref.Facts.Address == "" {
			out.missing = ref.Key.String()
			return
		}
		add(name, ref.Facts.Address, ref.Facts.SubnetID)
	}
	for _, name := range p.RealServers.PortRefs {
		refer("Port", name)
	}
	for _, name := range p.RealServers.PortlessRefs {
		refer("Server", name)
	}
	for _, address := range p.RealServers.Addresses {
		add(address, address, "")
	}
	return out
}

func monitorOf(m *Monitor, name, field string) *monitor {
	out := &monitor{
		field: field, name: name, kind: octaviaMonitor[m.Protocol],
		delay: cloud.Or(m.Delay, defaultDelay), timeout: cloud.Or(m.Timeout, defaultTimeout), retries: cloud.Or(m.Retries, defaultRetries),
	}
	if m.Protocol == "http" || m.Protocol == "https" {
		out.method, out.path, out.codes = httpMethod, cloud.Or(m.Endpoint, "/"), expectedCodes
	}
	return out
}

func (l listener) socket() socket { return socket{transport(l.protocol), l.port} }

// The bodies of the requests that make things. tags is the owner's mark, for
// people who look at the cloud: what belongs to the load balancer is known by
// being under it.

func (l listener) body(tags []string) map[string]any {
	body := map[string]any{"name": l.name, "protocol": l.protocol, "protocol_port": l.port, "tags": tags}
	if l.cidrs != nil {
		body["allowed_cidrs"] = l.cidrs
	}
	cloud.Put(body, "timeout_client_data", l.timeouts.Client)
	cloud.Put(body, "timeout_member_connect", l.timeouts.MemberConnect)
	cloud.Put(body, "timeout_member_data", l.timeouts.Member)
	return body
}

func (p pool) body(tags []string) map[string]any {
	return map[string]any{"name": p.name, "protocol": p.protocol, "lb_algorithm": p.algorithm, "tags": tags}
}

func (m member) body(tags []string) map[string]any {
	body := map[string]any{
		"name": m.name, "address": m.address, "protocol_port": m.port, "weight": weight, "backup": false, "admin_state_up": true,
		"monitor_port": m.monitorPort, "monitor_address": nil, "tags": tags,
	}
	if m.subnet != "" {
		body["subnet_id"] = m.subnet
	}
	return body
}

func (p pool) memberBodies(tags []string) []map[string]any {
	out := make([]map[string]any, len(p.members))
	for i, m := range p.members {
		out[i] = m.body(tags)
	}
	return out
}

func (m *monitor) body(tags []string) map[string]any {
	body := map[string]any{
		"name": m.name, "type": m.kind, "delay": m.delay, "timeout": m.timeout, "max_retries": m.retries, "max_retries_down": retriesDown, "tags": tags,
	}
	if m.method != "" {
		body["http_method"], body["url_path"], body["expected_codes"] = m.method, m.path, m.codes
	}
	return body
}

// full is the body of the listener with all that is under it.
func (l listener) full(tags []string) map[string]any {
	pool := l.pool.body(tags)
	pool["members"] = l.pool.memberBodies(tags)
	if l.pool.monitor != nil {
		pool["healthmonitor"] = l.pool.monitor.body(tags)
	}
	body := l.body(tags)
	body["default_pool"] = pool
	return body
}
