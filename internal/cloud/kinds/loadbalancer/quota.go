package loadbalancer

import (
	"cmp"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// QuotaNeeded implements [typed.Kind]. It counts the load balancer, everything under it, and the port of its address, which is
// in the same project.
func (rules) QuotaNeeded(s *Spec, of kind.FactsOf) kind.Amounts {
	n := counts{listeners: len(s.Ports)}
	for i := range s.Ports {
		p := &s.Ports[i]
		n.pool(p.answers(), of)
		for j := range p.L7Policies {
			n.policies++
			n.rules += len(p.L7Policies[j].Rules)
			if pool := p.L7Policies[j].RedirectPool; pool != nil {
				n.pool(pool, of)
			}
		}
	}
	return n.amounts()
}

// counts has the number of objects of each sort under a load balancer.
type counts struct{ listeners, pools, members, monitors, policies, rules int }

func (n *counts) pool(p *RedirectPool, of kind.FactsOf) {
	n.pools++
	n.members += p.RealServers.count(of)
	n.monitors += min(len(p.Monitors), 1)
}

// count returns the number of members that there will be: one for each pair of address and port.
func (r *RealServers) count(of kind.FactsOf) int {
	sockets := map[string]bool{}
	add := func(port *int, ports, servers, addresses []string) {
		at := ""
		if own := cmp.Or(port, r.Port); own != nil {
			at = strconv.Itoa(*own)
		}
		for _, name := range ports {
			sockets[cmp.Or(of("Port", name).Address, "port "+name)+" "+at] = true
		}
		for _, name := range servers {
			sockets[cmp.Or(of("Server", name).Address, "server "+name)+" "+at] = true
		}
		for _, address := range addresses {
			sockets[address+" "+at] = true
		}
	}
	for i := range r.Members {
		m := &r.Members[i]
		if add(m.Port, m.PortRefs, m.PortlessRefs, nil); m.Address != nil {
			add(m.Port, nil, nil, []string{*m.Address})
		}
	}
	add(nil, r.PortRefs, r.PortlessRefs, r.Addresses)
	return len(sockets)
}

// QuotaUsed implements [typed.Kind].
func (rules) QuotaUsed(have *State, _ kind.FactsOf) kind.Amounts {
	n := counts{listeners: len(have.More.Listeners), pools: len(have.More.Pools)}
	for _, p := range have.More.Pools {
		if n.members += len(p.Members); p.Monitor != nil {
			n.monitors++
		}
	}
	for _, l := range have.More.Listeners {
		n.policies += len(l.Policies)
		for _, p := range l.Policies {
			n.rules += len(p.Rules)
		}
	}
	return n.amounts()
}

func (n counts) amounts() kind.Amounts {
	of := func(name string) kind.Resource { return kind.Resource{Service: cloud.LoadBalancer, Name: name} }
	out := kind.Amounts{
		of("load_balancer"): 1, of("listener"): int64(n.listeners), of("pool"): int64(n.pools), of("member"): int64(n.members), of("health_monitor"): int64(n.monitors),
		{Service: cloud.Network, Name: "port"}: 1,
	}
	if n.policies > 0 { // older services do not count policies and rules
		out[of("l7policy")], out[of("l7rule")] = int64(n.policies), int64(n.rules)
	}
	return out
}
