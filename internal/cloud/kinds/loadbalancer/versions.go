package loadbalancer

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// since is a feature, and the first version of Octavia's API that has it. (octavia/api/root_controller.py)
type since struct{ version, what string }

// needs returns the features of the manifest that not every Octavia has. The first is tags, which the mark needs.
func (s *Spec) needs() []since {
	out := []since{{tagsSince, "load balancers"}}
	add := func(used bool, version, what string) {
		if used {
			out = append(out, since{version, what})
		}
	}
	add(len(s.AdditionalVIPs) > 0, "2.26", "additionalVIPs of load balancers")
	for i := range s.Ports {
		p := &s.Ports[i]
		p.answers().needs(add)
		add(p.RealServers.Protocol != nil && *p.RealServers.Protocol == "proxyv2", "2.22", "pools with protocol proxyv2")
		add(p.Protocol == "sctp", "2.23", "listeners with protocol sctp")
		add(p.AllowedCIDRs != nil, "2.12", "allowedCidrs of listeners")
		if t := p.TLS; t != nil {
			add(t.ClientCABarbicanRef != nil, "2.8", "certificates of clients")
			add(t.Ciphers != nil, "2.15", "ciphers of listeners")
			add(t.Versions != nil, "2.17", "TLS versions of listeners")
			add(t.ALPNProtocols != nil, "2.20", "alpnProtocols of listeners")
		}
		for j := range p.L7Policies {
			l := &p.L7Policies[j]
			add(l.RedirectHTTPCode != nil, "2.9", "L7 policies with redirectHTTPCode")
			if l.RedirectPool != nil {
				l.RedirectPool.needs(add)
			}
		}
	}
	return out
}

func (r *RedirectPool) needs(add func(used bool, version, what string)) {
	for i := range r.Monitors {
		add(r.Monitors[i].DomainName != nil, "2.10", "health monitors with domainName")
	}
}

// require returns an error before any write if the cloud's Octavia lacks a feature of the manifest.
func (d driver) require(ctx context.Context, s *Spec) error {
	for _, n := range s.needs() {
		if _, err := d.c.Require(ctx, cloud.LoadBalancer, n.version, n.what); err != nil {
			return err
		}
	}
	return nil
}
