package nova

import (
	"net/netip"
)

type address struct {
	Version int    `json:"version"`
	Addr    string `json:"addr"`
	Type    string `json:"OS-EXT-IPS:type,omitempty"`
	MAC     string `json:"OS-EXT-IPS-MAC:mac_addr,omitempty"`
}

// addresses returns the addresses of a server by the name of the network, in the order of the interfaces.
func (n *Nova) addresses(s *Server) map[string][]address {
	out := map[string][]address{}
	for _, i := range s.nics {
		p, ok := n.network.Port(i.port)
		if !ok {
			continue
		}
		t, ok := n.network.Network(p.NetworkID)
		if !ok {
			continue
		}
		if _, ok := out[t.Name]; !ok {
			out[t.Name] = []address{}
		}
		for _, f := range p.FixedIPs {
			out[t.Name] = append(out[t.Name], address{version(f.IP), f.IP, "fixed", p.MAC})
			if float := n.floating(p.ID, f.IP); float != "" {
				out[t.Name] = append(out[t.Name], address{version(float), float, "floating", p.MAC})
			}
		}
	}
	return out
}

func version(ip string) int {
	if a, err := netip.ParseAddr(ip); err == nil && a.Is6() {
		return 6
	}
	return 4
}

// securityGroups returns the security groups of the ports, port by port, as nova/network/security_group_api.py
// does.
func (w *viewer) securityGroups(s *Server) []named {
	var out []named
	for _, i := range s.nics {
		p, ok := w.n.network.Port(i.port)
		if !ok {
			continue
		}
		for _, id := range p.SecurityGroups {
			name, known := w.groups[id]
			if !known {
				if list := w.n.network.Groups(p.ProjectID, id); len(list) > 0 {
					name = list[0].Name
				}
				w.groups[id] = name
			}
			if name != "" {
				out = append(out, named{name})
			}
		}
	}
	return out
}
