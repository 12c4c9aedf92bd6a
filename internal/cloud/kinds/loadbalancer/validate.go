package loadbalancer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Validate reports settings that Octavia would refuse, and adds notes about settings that have no effect.
func (rules) Validate(spec *Spec, r *kind.Report) {
	validateVIPs(spec, r)
	spec.validateProvider(r)
	seen := map[socket]int{}
	for i := range spec.Ports {
		p := &spec.Ports[i]
		field := portField(i)
		at := socket{transport(p.Protocol), p.Port}
		if first, twice := seen[at]; twice {
			r.Problem(field+".port", fmt.Sprintf("port %d is already used by %s", p.Port, portField(first)), "give each port once; tcp, http and https share their numbers")
		} else {
			seen[at] = i
		}
		if p.Option != nil {
			r.Note(field+".option", "is accepted but has no effect: OpenStack has no such function")
		}
		p.validateListener(field, r)
		p.answers().validate(p, field, r)
		p.validatePolicies(field, r)
	}
}

// validate checks a pool. The argument of is the port that uses the pool.
func (p *RedirectPool) validate(of *Port, field string, r *kind.Report) {
	p.validateServers(of, field+".realServers", r)
	p.validatePersistence(of, field+".sessionPersistence", r)
	p.validateMonitors(of, field+".monitors", r)
}

func (p *RedirectPool) validateServers(of *Port, field string, r *kind.Report) {
	s := &p.RealServers
	if s.VirtualMachineGroupRef == nil && len(s.VirtualMachineRefs)+len(s.ServerRefs)+len(s.Addresses)+len(s.Members) == 0 {
		r.Problem(field, "names no machines", "give virtualMachineGroupRef, virtualMachineRefs, serverRefs, addresses or members")
	}
	for i := range s.Members {
		m := &s.Members[i]
		if countSet(m.Address, m.VirtualMachineRef, m.VirtualMachineGroupRef, m.ServerRef) != 1 {
			r.Problem(fmt.Sprintf("%s.members[%d]", field, i), "must name the machine with exactly one field", "give one of address, virtualMachineRef, virtualMachineGroupRef and serverRef")
		}
	}
	if able, spoken := poolProtocols[of.Protocol], p.spoken(of); !slices.Contains(able, spoken) {
		r.Problem(field+".protocol", fmt.Sprintf("cannot be %s while clients use %s", spoken, of.Protocol), "use one of "+list(able))
	}
}

// countSet returns the number of fields that are set.
func countSet(fields ...*string) (n int) {
	for _, f := range fields {
		if f != nil {
			n++
		}
	}
	return n
}

// validatePersistence makes the same checks as Octavia (octavia/common/validate.py: check_session_persistence). It also
// checks that the load balancer can read cookies.
func (p *RedirectPool) validatePersistence(of *Port, field string, r *kind.Report) {
	s := p.SessionPersistence
	if s == nil {
		return
	}
	if s.Type != "sourceIP" && !of.http() {
		r.Problem(field+".type", fmt.Sprintf("cannot be %s while clients use %s, because the load balancer cannot see cookies then", s.Type, of.Protocol), "use sourceIP, or protocol http or terminatedHTTPS")
	}
	if s.Type == "appCookie" && s.CookieName == nil {
		r.Problem(field+".cookieName", "is missing", "name the application's cookie")
	}
	if s.Type != "appCookie" && s.CookieName != nil {
		r.Problem(field+".cookieName", "has no effect with type "+s.Type, "remove it, or use type appCookie")
	}
	if datagrams := of.Protocol == "udp" || of.Protocol == "sctp"; !datagrams && (s.Timeout != nil || s.Granularity != nil) {
		r.Problem(field, "has timeout or granularity, which Octavia accepts for udp and sctp only", "remove them")
	}
}

func (p *RedirectPool) validateMonitors(of *Port, field string, r *kind.Report) {
	spoken := p.spoken(of)
	for i := range p.Monitors {
		m, at := &p.Monitors[i], fmt.Sprintf("%s[%d]", field, i)
		if m.Protocol != "http" && m.Protocol != "https" {
			for _, of := range []struct {
				name  string
				value *string
			}{{"endpoint", m.Endpoint}, {"httpMethod", m.HTTPMethod}, {"expectedCodes", m.ExpectedCodes}, {"domainName", m.DomainName}} {
				if of.value != nil {
					r.Problem(at+"."+of.name, "has no effect for a monitor with protocol "+m.Protocol, "remove it, or use protocol http or https")
				}
			}
		}
		if able := monitorProtocols(spoken); !slices.Contains(able, m.Protocol) {
			r.Problem(at+".protocol", fmt.Sprintf("cannot be %s for machines that speak %s", m.Protocol, spoken), "use one of "+list(able))
		}
		if delay, timeout := table.Or(m.Delay, defaultDelay), table.Or(m.Timeout, defaultTimeout); timeout >= delay {
			r.Problem(at+".timeout", fmt.Sprintf("of %d s is not less than the delay of %d s", timeout, delay), "use a smaller timeout, or a larger delay")
		}
		if i > 0 {
			r.Note(at, fmt.Sprintf("is accepted and has no effect: Octavia has only one health monitor for a port, which is %s[0]", field))
		}
	}
}

func portField(i int) string { return fmt.Sprintf("spec.ports[%d]", i) }

// poolProtocols has the protocols that machines may use, for each protocol of the clients. (octavia/common/constants.py:
// VALID_LISTENER_POOL_PROTOCOL_MAP)
var poolProtocols = map[string][]string{
	"http":            {"http", "proxy", "proxyv2"},
	"https":           {"https", "tcp", "proxy", "proxyv2"},
	"tcp":             {"tcp", "http", "https", "proxy", "proxyv2"},
	"terminatedHTTPS": {"http", "proxy", "proxyv2"},
	"udp":             {"udp"},
	"sctp":            {"sctp"},
}

// monitorProtocols returns the protocols with which machines that use the protocol spoken can be checked.
// (octavia/api/v2/controllers/health_monitor.py: _validate_healthmonitor_request_for_udp_sctp and its counterpart for
// other pools)
func monitorProtocols(spoken string) []string {
	if spoken == "udp" || spoken == "sctp" {
		return []string{"udp", "sctp", "tcp", "http"}
	}
	return []string{"http", "https", "tcp", "tls", "ping"}
}

func list(words []string) string { return strings.Join(words, ", ") }
