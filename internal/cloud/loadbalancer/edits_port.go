package loadbalancer

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// listener appends what makes old, nil for none, as l wants it, answered by
// the pool whose ID will stand in pool by then.
func (e *editor) listener(l listener, old *Listener, pool *string) {
	create := func() request {
		body := l.body(e.tags)
		body["loadbalancer_id"], body["default_pool_id"] = e.id, *pool
		return request{http.MethodPost, "listeners", "listener", body}
	}
	switch {
	case old == nil:
		e.add(l.field, nil, fmt.Sprintf("%s %d", l.protocol, l.port), nil, create)
	case old.Protocol != l.protocol:
		e.add(l.field+".protocol", old.Protocol, l.protocol, nil, func() request {
			return request{method: http.MethodDelete, path: "listeners/" + old.ID}
		})
		e.sequel(l.field+".protocol", nil, create)
	default:
		e.change("listeners/"+old.ID, "listener", l.attributes(old))
		if old.DefaultPoolID != *pool || *pool == "" {
			point := func() request {
				return request{http.MethodPut, "listeners/" + old.ID, "listener", map[string]any{"default_pool_id": *pool}}
			}
			if *pool == "" {
				e.sequel(l.field+".realServers", nil, point)
			} else {
				e.add(l.field+".realServers", "pool "+old.DefaultPoolID, "pool "+*pool, nil, point)
			}
		}
	}
}

func (l listener) attributes(old *Listener) []attribute {
	out := []attribute{
		{l.field + ".listener.name", "name", old.Name, l.name},
		{l.field + ".listener.adminStateUp", "admin_state_up", old.AdminStateUp, true},
		{l.field + ".allowedCidrs", "allowed_cidrs", sorted(old.AllowedCIDRs), sorted(l.cidrs)},
	}
	timeout := func(field, name string, have int, want *int) {
		if want != nil {
			out = append(out, attribute{l.field + ".timeouts." + field, name, have, *want})
		}
	}
	timeout("client", "timeout_client_data", old.Client, l.timeouts.Client)
	timeout("memberConnect", "timeout_member_connect", old.MemberConnect, l.timeouts.MemberConnect)
	timeout("member", "timeout_member_data", old.Member, l.timeouts.Member)
	return out
}

// pool appends what makes old, nil for none, as l wants its pool, and returns
// where its ID stands or will stand. The pool of a new listener is not
// reported by itself.
func (e *editor) pool(l listener, old *Pool, part bool) *string {
	p, id := l.pool, new(string)
	if old != nil {
		*id = old.ID
		e.change("pools/"+old.ID, "pool", []attribute{
			{p.field + ".pool.name", "name", old.Name, p.name},
			{p.field + ".pool.adminStateUp", "admin_state_up", old.AdminStateUp, true},
			{p.field + ".algorithm", "lb_algorithm", old.Algorithm, p.algorithm},
		})
		e.members(p, old)
		e.monitor(p, old)
		return id
	}
	create := func() request {
		body := p.body(e.tags)
		body["loadbalancer_id"] = e.id
		return request{http.MethodPost, "pools", "pool", body}
	}
	cause := p.field + ".realServers"
	if part {
		cause = p.field
		e.sequel(cause, id, create)
	} else {
		e.add(cause, nil, "pool "+p.name+" speaking "+p.protocol, id, create)
	}
	if len(p.members) > 0 {
		e.sequel(cause, nil, func() request { return p.putMembers(*id, e.tags) })
	}
	if p.monitor != nil {
		e.sequel(cause, nil, func() request { return p.monitor.create(*id, e.tags) })
	}
	return id
}

func (p pool) putMembers(id string, tags []string) request {
	return request{method: http.MethodPut, path: "pools/" + id + "/members", body: map[string]any{"members": p.memberBodies(tags)}}
}

// members appends one request that sets all members of the pool. While a
// machine has no address yet, those that are there stay.
func (e *editor) members(p pool, old *Pool) {
	have := make([]string, len(old.Members))
	for i, m := range old.Members {
		have[i] = m.text() + describe(m.Name, m.Weight, m.Backup, m.AdminStateUp, m.MonitorPort) + elsewhere(m.MonitorAddress)
	}
	want := make([]string, len(p.members))
	for i, m := range p.members {
		want[i] = socketText(m.address, m.port) + describe(m.name, weight, false, true, m.monitorPort)
	}
	field := p.field + ".realServers"
	if p.missing != "" {
		e.edits = append(e.edits, edit{changes: []kind.Change{{Field: field, Have: sorted(have), Want: "known once " + p.missing + " is ready"}}})
		return
	}
	if slices.Equal(sorted(have), sorted(want)) {
		return
	}
	e.add(field, sorted(have), sorted(want), nil, func() request { return p.putMembers(old.ID, e.tags) })
}

// describe says what is particular about a member, for people and to compare.
func describe(name string, weight int, backup, up bool, monitorPort *int) string {
	text := fmt.Sprintf(" (%s)", name)
	if weight != 1 {
		text += fmt.Sprintf(" weight %d", weight)
	}
	if backup {
		text += " backup"
	}
	if !up {
		text += " disabled"
	}
	if monitorPort != nil {
		text += fmt.Sprintf(" monitored at port %d", *monitorPort)
	}
	return text
}

func elsewhere(monitorAddress string) string {
	if monitorAddress == "" {
		return ""
	}
	return " monitored at " + monitorAddress
}

func (m *monitor) create(pool string, tags []string) request {
	body := m.body(tags)
	body["pool_id"] = pool
	return request{http.MethodPost, "healthmonitors", "healthmonitor", body}
}

// monitor appends what makes the health monitor of old as p wants it. Its type
// cannot be changed: another one takes its place.
func (e *editor) monitor(p pool, old *Pool) {
	have, want := old.Monitor, p.monitor
	field := p.field + ".monitors"
	create := func() request { return want.create(old.ID, e.tags) }
	switch {
	case have == nil && want == nil:
	case want == nil:
		e.remove(field, have.Type, "healthmonitors/"+have.ID)
	case have == nil:
		e.add(field, nil, want.kind, nil, create)
	case have.Type != want.kind:
		e.add(want.field+".protocol", have.Type, want.kind, nil, func() request {
			return request{method: http.MethodDelete, path: "healthmonitors/" + have.ID}
		})
		e.sequel(want.field+".protocol", nil, create)
	default:
		e.change("healthmonitors/"+have.ID, "healthmonitor", want.attributes(have))
	}
}

func (m *monitor) attributes(old *HealthMonitor) []attribute {
	out := []attribute{
		{m.field + ".name", "name", old.Name, m.name},
		{m.field + ".adminStateUp", "admin_state_up", old.AdminStateUp, true},
		{m.field + ".delay", "delay", old.Delay, m.delay},
		{m.field + ".timeout", "timeout", old.Timeout, m.timeout},
		{m.field + ".retries", "max_retries", old.Retries, m.retries},
		{m.field + ".retriesDown", "max_retries_down", old.RetriesDown, retriesDown},
	}
	if m.method != "" {
		out = append(out,
			attribute{m.field + ".method", "http_method", old.Method, m.method},
			attribute{m.field + ".endpoint", "url_path", old.Path, m.path},
			attribute{m.field + ".codes", "expected_codes", old.ExpectedCodes, m.codes})
	}
	return out
}

// sorted copies words in order; it is never nil.
func sorted[T cmp.Ordered](words []T) []T {
	out := append([]T{}, words...)
	slices.Sort(out)
	return slices.Compact(out)
}
