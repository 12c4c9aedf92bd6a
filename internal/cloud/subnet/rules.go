package subnet

import (
	"fmt"
	"net/netip"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// validate checks what Neutron would only refuse when it is too late for the
// rest of the repository.
func validate(s *Spec, r *kind.Report) {
	cidr, _ := netip.ParsePrefix(s.CIDR) // the fields by themselves are as they should be
	if cidr.Addr().Is4() != (s.IPVersion == 4) {
		r.Problem("spec.resource.ipVersion", "is not the version of cidr "+s.CIDR, "make them agree")
	}
	gateway := table.Or(s.Gateway, Gateway{Type: "Automatic"})
	at := address(table.Or(gateway.IP, ""))
	switch {
	case gateway.Type == "IP" && gateway.IP == nil:
		r.Problem("spec.resource.gateway.ip", "is missing", "give the address, or use type Automatic or None")
	case gateway.Type != "IP" && gateway.IP != nil:
		r.Problem("spec.resource.gateway.ip", "is given although type is "+gateway.Type, "remove it, or use type IP")
	case gateway.IP != nil && at.Is4() != cidr.Addr().Is4():
		r.Problem("spec.resource.gateway.ip", "is not of the version of cidr", "use an address of the subnet")
	}
	for i, pool := range s.AllocationPools {
		start, end, field := address(pool.Start), address(pool.End), fmt.Sprintf("spec.resource.allocationPools[%d]", i)
		switch {
		case !cidr.Contains(start) || !cidr.Contains(end):
			r.Problem(field, "is not within "+s.CIDR, "choose addresses of the subnet")
		case end.Less(start):
			r.Problem(field, "ends before it starts", "swap start and end")
		case at.IsValid() && !at.Less(start) && !end.Less(at):
			r.Problem(field, "contains the gateway "+*gateway.IP, "leave the gateway out of the pools")
		}
	}
	switch {
	case s.IPv6 == nil:
	case s.IPVersion != 6:
		r.Problem("spec.resource.ipv6", "is given for an IPv4 subnet", "remove it, or set ipVersion: 6")
	case !table.Or(s.EnableDHCP, true):
		r.Problem("spec.resource.ipv6", "needs enableDHCP", "remove it, or set enableDHCP: true")
	case s.IPv6.AddressMode != nil && s.IPv6.RAMode != nil && *s.IPv6.AddressMode != *s.IPv6.RAMode:
		r.Problem("spec.resource.ipv6", "has two different modes", "make addressMode and raMode the same, or leave one of them out")
	}
}

// address reads an IP address; it is not valid when text is none.
func address(text string) netip.Addr {
	a, _ := netip.ParseAddr(text)
	return a
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
		kind.Field(c, "spec.resource.gateway", table.IP(have.More.GatewayIP), table.IP(gateway(w.Spec, have)))
	}
}

// writeGateway puts the gateway as Neutron takes it: null for none. That of a new
// subnet is left to the cloud where it can be.
func writeGateway(w kind.Want[Spec], have *table.Object[Spec, More], body map[string]any) {
	if w.Spec.Gateway == nil || have == nil && w.Spec.Gateway.Type == "Automatic" {
		return
	}
	body["gateway_ip"] = nil
	if ip := gateway(w.Spec, have); ip != "" {
		body["gateway_ip"] = ip
	}
}

// gateway is the address that the manifest's gateway stands for, "" for none.
// Automatic is what there is already, or else what Neutron would choose
// (neutron/ipam/utils.py: generate_pools' default gateway): the first host of
// an IPv4 subnet, the network's own address of an IPv6 one.
func gateway(s *Spec, have *table.Object[Spec, More]) string {
	switch {
	case s.Gateway.Type == "IP":
		return *s.Gateway.IP
	case s.Gateway.Type == "None":
		return ""
	case have != nil && have.More.GatewayIP != "":
		return have.More.GatewayIP
	}
	cidr, err := netip.ParsePrefix(s.CIDR)
	if err == nil && cidr.Addr().Is4() {
		return cidr.Masked().Addr().Next().String()
	}
	return cidr.Masked().Addr().String()
}
