package loadbalancer

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Validate checks what Octavia would refuse, and tells what it cannot do.
func (rules) Validate(spec *Spec, r *kind.Report) {
	seen := map[socket]int{}
	for i := range spec.Ports {
		p := &spec.Ports[i]
		field := portField(i)
		at := socket{transport(octaviaProtocol[p.Protocol]), p.Port}
		if first, twice := seen[at]; twice {
			r.Problem(field+".port", fmt.Sprintf("%d is listened on already by %s", p.Port, portField(first)), "give each port once; tcp, http and https share their numbers")
		} else {
			seen[at] = i
		}
		if p.Option != nil {
			r.Note(field+".option", "is accepted and has no effect: OpenStack has nothing like it")
		}
		validateServers(p, field+".realServers", r)
		validateMonitors(p, field+".monitors", r)
	}
}

func validateServers(p *Port, field string, r *kind.Report) {
	s := &p.RealServers
	if s.VirtualMachineGroupRef == nil && len(s.VirtualMachineRefs) == 0 && len(s.ServerRefs) == 0 && len(s.Addresses) == 0 {
		r.Problem(field, "names nobody who answers", "give virtualMachineGroupRef, virtualMachineRefs, serverRefs or addresses")
	}
	spoken := cloud.Or(s.Protocol, p.Protocol)
	if able := poolProtocols[p.Protocol]; !slices.Contains(able, spoken) {
		r.Problem(field+".protocol", fmt.Sprintf("cannot be %s while clients speak %s", spoken, p.Protocol), "use one of "+list(able))
	}
}

func validateMonitors(p *Port, field string, r *kind.Report) {
	spoken := cloud.Or(p.RealServers.Protocol, p.Protocol)
	for i := range p.Monitors {
		m, at := &p.Monitors[i], fmt.Sprintf("%s[%d]", field, i)
		if m.Endpoint != nil && m.Protocol != "http" && m.Protocol != "https" {
			r.Problem(at+".endpoint", "means nothing to a monitor that speaks "+m.Protocol, "remove it, or use protocol http or https")
		}
		if able := monitorProtocols(spoken); !slices.Contains(able, m.Protocol) {
			r.Problem(at+".protocol", fmt.Sprintf("cannot be %s for machines that speak %s", m.Protocol, spoken), "use one of "+list(able))
		}
		if delay, timeout := cloud.Or(m.Delay, defaultDelay), cloud.Or(m.Timeout, defaultTimeout); timeout >= delay {
			r.Problem(at+".timeout", fmt.Sprintf("of %d s is not less than the delay of %d s", timeout, delay), "make it less, or the delay more")
		}
		if i > 0 {
			r.Note(at, fmt.Sprintf("is accepted and has no effect: Octavia has one health monitor for a port, and %s[0] is it", field))
		}
	}
}

func portField(i int) string { return fmt.Sprintf("spec.ports[%d]", i) }
