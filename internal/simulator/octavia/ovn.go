package octavia

import (
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// ovn is a provider that forwards connections and does not read them. (openstack/ovn-octavia-provider:
// driver.py) As in its releases before 4.0, objects that are created together with their load balancer stay in
// PENDING_CREATE.
const ovn = "ovn"

func unsupported(format string, args ...any) *oslo.Error {
	return oslo.Errorf(501, "ProviderUnsupportedOptionError", "Provider 'ovn' does not support a requested option: "+format, args...)
}

func (lb *LoadBalancer) bearsListener(l *Listener) error {
	switch {
	case lb.Provider != ovn:
	case !slices.Contains([]string{"TCP", "UDP", "SCTP"}, l.Protocol):
		return unsupported("OVN provider does not support %s protocol", l.Protocol)
	case len(l.AllowedCIDRs) > 0:
		return unsupported("OVN provider does not support allowed_cidrs option")
	}
	return nil
}

func (lb *LoadBalancer) bearsPool(p *Pool) error {
	switch {
	case lb.Provider != ovn:
	case !slices.Contains([]string{"TCP", "UDP", "SCTP"}, p.Protocol):
		return unsupported("OVN provider does not support %s protocol", p.Protocol)
	case p.Algorithm != "SOURCE_IP_PORT":
		return unsupported("OVN provider does not support %s algorithm", p.Algorithm)
	}
	return nil
}

// bearsMember returns an error if the provider ovn does not support the member. Its address must have the same
// family as that of the load balancer, and it cannot have options for a monitor.
func (lb *LoadBalancer) bearsMember(m *Member) error {
	if lb.Provider != ovn {
		return nil
	}
	vip, err := netip.ParseAddr(lb.VIPAddress)
	at, err2 := netip.ParseAddr(m.Address)
	if err == nil && err2 == nil && vip.Is4() != at.Is4() {
		return unsupported("OVN provider does not support mixing IPv4/IPv6 configuration within the same Load Balancer.")
	}
	if m.MonitorPort != nil || m.MonitorAddress != nil {
		return unsupported("OVN provider does not support monitor options on members")
	}
	return nil
}
