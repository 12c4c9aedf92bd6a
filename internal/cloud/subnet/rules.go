package subnet

import (
	"fmt"
	"net/netip"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// validate checks what Neutron would only refuse when it is too late for the
// rest of the repository.
func validate(s *Spec, r *kind.Report) {
	cidr, err := netip.ParsePrefix(s.CIDR)
	if err != nil {
		return
	}
	if cidr.Addr().Is4() != (s.IPVersion == 4) {
		r.Problem("spec.resource.ipVersion", "is not the version of cidr "+s.CIDR, "make them agree")
	}
	for i := range s.AllocationPools {
		validatePool(s, i, cidr, r)
	}
	if s.Gateway != nil {
		validateGateway(s.Gateway, cidr, r)
	}
	if s.IPv6 != nil {
		validateIPv6(s, r)
	}
}

func validatePool(s *Spec, i int, cidr netip.Prefix, r *kind.Report) {
	start, end := address(s.AllocationPools[i].Start), address(s.AllocationPools[i].End)
	field := fmt.Sprintf("spec.resource.allocationPools[%d]", i)
	switch {
	case !start.IsValid() || !end.IsValid():
	case !cidr.Contains(start) || !cidr.Contains(end):
		r.Problem(field, "is not within "+s.CIDR, "choose addresses of the subnet")
	case end.Less(start):
		r.Problem(field, "ends before it starts", "swap start and end")
	case s.Gateway != nil && s.Gateway.IP != nil && inRange(address(*s.Gateway.IP), start, end):
		r.Problem(field, "contains the gateway "+*s.Gateway.IP, "leave the gateway out of the pools")
	}
}

func inRange(a, start, end netip.Addr) bool {
	return a.IsValid() && !a.Less(start) && !end.Less(a)
}

func validateGateway(g *Gateway, cidr netip.Prefix, r *kind.Report) {
	switch {
	case g.Type == "IP" && g.IP == nil:
		r.Problem("spec.resource.gateway.ip", "is missing", "give the address, or use type Automatic or None")
	case g.Type != "IP" && g.IP != nil:
		r.Problem("spec.resource.gateway.ip", "is given although type is "+g.Type, "remove it, or use type IP")
	case g.IP != nil && address(*g.IP).Is4() != cidr.Addr().Is4():
		r.Problem("spec.resource.gateway.ip", "is not of the version of cidr", "use an address of the subnet")
	}
}

func validateIPv6(s *Spec, r *kind.Report) {
	switch {
	case s.IPVersion != 6:
		r.Problem("spec.resource.ipv6", "is given for an IPv4 subnet", "remove it, or set ipVersion: 6")
	case !cloud.Or(s.EnableDHCP, true):
		r.Problem("spec.resource.ipv6", "needs enableDHCP", "remove it, or set enableDHCP: true")
	case s.IPv6.AddressMode != nil && s.IPv6.RAMode != nil && *s.IPv6.AddressMode != *s.IPv6.RAMode:
		r.Problem("spec.resource.ipv6", "has two different modes", "make addressMode and raMode the same, or leave one of them out")
	}
}

// attach expands into what attaches the subnet to the router it names, as in K-ORC.
func attach(s *Spec, e *kind.Expansion) {
	if s.RouterRef == nil {
		return
	}
	e.Child("RouterInterface", e.Key.Name+"-subnet", map[string]any{"spec": map[string]any{
		"type": "Subnet", "routerRef": *s.RouterRef, "subnetRef": e.Key.Name,
	}})
}

func compareGateway(w kind.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if w.Spec.Gateway != nil {
		kind.Field(c, "spec.resource.gateway", table.IP(have.More.GatewayIP), table.IP(gateway(w.Spec, have.More.GatewayIP)))
	}
}

// writeGateway puts the gateway as Neutron takes it: null for none. That of a new
// subnet is left to the cloud where it can be.
func writeGateway(w kind.Want[Spec], have *table.Object[Spec, More], body map[string]any) {
	if w.Spec.Gateway == nil || have == nil && w.Spec.Gateway.Type == "Automatic" {
		return
	}
	body["gateway_ip"] = nil
	present := ""
	if have != nil {
		present = have.More.GatewayIP
	}
	if ip := gateway(w.Spec, present); ip != "" {
		body["gateway_ip"] = ip
	}
}

// gateway is the address that the manifest's gateway stands for, "" for none.
// Automatic is whatever there is already, or else what Neutron would choose
// (neutron/ipam/utils.py: generate_pools' default gateway): the first host of
// an IPv4 subnet, the network's own address of an IPv6 one.
func gateway(s *Spec, have string) string {
	switch {
	case s.Gateway.Type == "IP":
		return *s.Gateway.IP
	case s.Gateway.Type == "None":
		return ""
	case have != "":
		return have
	}
	cidr, err := netip.ParsePrefix(s.CIDR)
	if err != nil {
		return ""
	}
	if cidr.Addr().Is4() {
		return cidr.Masked().Addr().Next().String()
	}
	return cidr.Masked().Addr().String()
}

// address reads an IP address; it is not valid when text is none.
func address(text string) netip.Addr {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return a
}
