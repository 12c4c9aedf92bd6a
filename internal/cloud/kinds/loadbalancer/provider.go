package loadbalancer

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// ovn is the name of the provider that OVN implements.
const ovn = "ovn"

// amphorae are the names of Octavia's own provider.
var amphorae = []string{"amphora", "amphorav2", "octavia"}

// populates reports whether one request may create the load balancer together with its children. Only Octavia's own
// provider is known to do that. Several other providers leave the children in PENDING_CREATE forever. If the cloud
// chooses the provider, one request is tried.
func (s *Spec) populates() bool { return s.Provider == nil || slices.Contains(amphorae, *s.Provider) }

// compareProvider treats all names of Octavia's own provider as equal.
func compareProvider(w typed.Want[Spec], have *State, c *kind.Changes) {
	if w.Spec.Provider == nil || slices.Contains(amphorae, have.More.Provider) && slices.Contains(amphorae, *w.Spec.Provider) {
		return
	}
	kind.Fixed(c, "spec.provider", have.More.Provider, *w.Spec.Provider)
}

// spread returns the algorithm that spreads connections. If the manifest gives none, it depends on the provider, because
// OVN has only one.
func (s *Spec) spread(given *string) string {
	if given == nil && table.Or(s.Provider, "") == ovn {
		return "sourceIPPort"
	}
	return table.Or(given, "roundRobin")
}

// validateProvider refuses settings that OVN cannot implement: it would answer 501, or accept the setting without
// effect. (openstack/ovn-octavia-provider: doc/source/admin/driver.rst; openstack/octavia:
// doc/source/user/feature-classification)
func (s *Spec) validateProvider(r *kind.Report) {
	if table.Or(s.Provider, "") != ovn {
		return
	}
	const fix = "remove it, or use provider amphora"
	families := map[bool]bool{}
	family := func(address string) {
		if a, err := netip.ParseAddr(address); err == nil {
			families[a.Unmap().Is4()] = true
		}
	}
	family(table.Or(s.VIPAddress, ""))
	for i := range s.Ports {
		p, at := &s.Ports[i], portField(i)
		if !slices.Contains([]string{"tcp", "udp", "sctp"}, p.Protocol) {
			r.Problem(at+".protocol", "cannot be "+p.Protocol+" with provider ovn, which forwards connections without reading them", "use tcp, udp or sctp, or provider amphora")
			continue
		}
		for _, refused := range []struct {
			field string
			given bool
		}{
			{"allowedCidrs", p.AllowedCIDRs != nil}, {"timeouts", p.Timeouts != nil}, {"connectionLimit", p.ConnectionLimit != nil},
		} {
			if refused.given {
				r.Problem(at+"."+refused.field, "is not possible with provider ovn", fix)
			}
		}
		if way := s.spread(p.Algorithm); way != "sourceIPPort" {
			r.Problem(at+".algorithm", "cannot be "+way+" with provider ovn", "use sourceIPPort, or provider amphora")
		}
		if spoken := p.answers().spoken(p); spoken != p.Protocol {
			r.Problem(at+".realServers.protocol", "cannot be "+spoken+" with provider ovn while clients use "+p.Protocol, "use the same protocol, or provider amphora")
		}
		if len(p.Monitors) > 0 && !slices.Contains([]string{"tcp", "udp"}, p.Monitors[0].Protocol) {
			r.Problem(at+".monitors[0].protocol", "cannot be "+p.Monitors[0].Protocol+" with provider ovn", "use tcp or udp, or provider amphora")
		}
		if len(p.Monitors) > 0 && p.Monitors[0].Port != nil {
			r.Problem(at+".monitors[0].port", "is not possible with provider ovn: its health checks always use the port of the member", fix)
		}
		for _, address := range p.RealServers.Addresses {
			family(address)
		}
		for j := range p.RealServers.Members {
			m, at := &p.RealServers.Members[j], fmt.Sprintf("%s.realServers.members[%d]", at, j)
			family(table.Or(m.Address, ""))
			if m.Weight != nil && *m.Weight != 1 {
				r.Problem(at+".weight", "is not possible with provider ovn: all members get as many connections", fix)
			}
			if table.Or(m.Backup, false) {
				r.Problem(at+".backup", "is not possible with provider ovn", fix)
			}
		}
	}
	if len(families) > 1 {
		r.Problem("spec.ports", "mix IPv4 and IPv6, which provider ovn cannot do", "use addresses of one family, or provider amphora")
	}
}
