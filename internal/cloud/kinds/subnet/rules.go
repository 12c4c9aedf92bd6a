package subnet

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// validate reports mistakes that Neutron would refuse only after other objects of the repository were
// applied.
func validate(s *Spec, r *kind.Report) {
	cidr, _ := netip.ParsePrefix(s.CIDR) // each field has already been checked alone
	s.validatePool(r)
	if s.CIDR != "" && cidr.Addr().Is4() != (s.IPVersion == 4) {
		r.Problem("spec.resource.ipVersion", "is not the version of cidr "+s.CIDR, "make them agree")
	}
	gateway := table.Or(s.Gateway, Gateway{Type: "Automatic"})
	at := address(table.Or(gateway.IP, ""))
	switch {
	case gateway.Type == "IP" && gateway.IP == nil:
		r.Problem("spec.resource.gateway.ip", "is missing", "give the address, or use type Automatic or None")
	case gateway.Type != "IP" && gateway.IP != nil:
		r.Problem("spec.resource.gateway.ip", "is given although type is "+gateway.Type, "remove it, or use type IP")
	case gateway.IP != nil && at.Is4() != (s.IPVersion == 4):
		r.Problem("spec.resource.gateway.ip", "is not of the version of cidr", "use an address of the subnet")
	}
	for i, pool := range s.AllocationPools {
		start, end, field := address(pool.Start), address(pool.End), fmt.Sprintf("spec.resource.allocationPools[%d]", i)
		switch {
		case s.CIDR != "" && !cidr.Contains(start) || s.CIDR != "" && !cidr.Contains(end):
			r.Problem(field, "is not within "+s.CIDR, "choose addresses of the subnet")
		case end.Less(start):
			r.Problem(field, "ends before it starts", "swap start and end")
		case pool.has(at):
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

// validatePool checks where the addresses come from.
func (s *Spec) validatePool(r *kind.Report) {
	switch {
	case s.CIDR == "" && s.SubnetPoolRef == "":
		r.Problem("spec.resource.cidr", "is missing", "give the addresses of the subnet, or name a subnetPoolRef that gives them")
	case s.PrefixLength != nil && s.CIDR != "":
		r.Problem("spec.resource.prefixLength", "is given together with cidr", "remove one of them")
	case s.PrefixLength != nil && s.IPVersion == 4 && *s.PrefixLength > 32:
		r.Problem("spec.resource.prefixLength", "is longer than an IPv4 address", "use 32 or less")
	}
}

// provisional is the CIDR of a subnet that still waits for addresses from prefix delegation.
const provisional = "::/64"

// exclusiveClaims claims the subnet's range of addresses, because subnets of a network must not overlap
// (db/ipam_backend_mixin.py: _validate_subnet_cidr).
func exclusiveClaims(w typed.Want[Spec]) []kind.Claim {
	if w.Spec.CIDR == "" || w.Spec.CIDR == provisional {
		return nil
	}
	return []kind.Claim{{Field: "spec.resource.cidr", Owner: w.Ref("Network", w.Spec.NetworkRef), Value: table.Network(w.Spec.CIDR), HolderKind: "Subnet", Range: true}}
}

// compareLength compares the requested prefix length with the prefix length of the subnet's addresses.
func compareLength(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if p, err := netip.ParsePrefix(have.Spec.CIDR); err == nil && w.Spec.PrefixLength != nil {
		kind.Fixed(c, "spec.resource.prefixLength", p.Bits(), *w.Spec.PrefixLength)
	}
}

// address parses an IP address. If text is not an address, the result is invalid.
func address(text string) netip.Addr {
	a, _ := netip.ParseAddr(text)
	return a
}

// attach expands a subnet that names a router into a RouterInterface that connects the two, as K-ORC does.
func attach(s *Spec, e *kind.Expansion) {
	if s.RouterRef == nil {
		return
	}
	e.Child("RouterInterface", e.Key.Name+"-subnet", map[string]any{"spec": map[string]any{
		"type": "Subnet", "routerRef": *s.RouterRef, "subnetRef": e.Key.Name,
	}})
}

// export omits the gateway and the pools if Neutron would choose the same ones.
func export(s *state, spec *Spec, _ *kind.Export) {
	chosen := gateway(&Spec{CIDR: s.Spec.CIDR, Gateway: &Gateway{Type: "Automatic"}}, nil)
	switch ip := s.More.GatewayIP; {
	case ip == "":
		spec.Gateway = &Gateway{Type: "None"}
	case table.IP(ip) != table.IP(chosen):
		spec.Gateway = &Gateway{Type: "IP", IP: &ip}
	}
	if spec.Gateway == nil && slices.EqualFunc(spec.AllocationPools, usualPools(s.Spec.CIDR, chosen), func(a, b Pool) bool { return a.String() == b.String() }) {
		spec.AllocationPools = nil
	}
	slices.SortFunc(spec.AllocationPools, func(a, b Pool) int { return address(a.Start).Compare(address(b.Start)) })
}
