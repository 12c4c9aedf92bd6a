package neutron

import (
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// cidr mirrors converters.convert_cidr_to_canonical_format: host bits are cleared.
func cidr(_ string, v any) (any, *oslo.Error) {
	s, _ := v.(string)
	p, err := netip.ParsePrefix(s)
	if err != nil {
		if a, aerr := netip.ParseAddr(s); aerr == nil {
			p = netip.PrefixFrom(a, a.BitLen())
		} else {
			return nil, invalidInput("%s is not in a CIDR format.", py(v))
		}
	}
	return p.Masked().String(), nil
}

// subnetCIDR mirrors validators.validate_subnet: a prefix without host bits.
func subnetCIDR(name string, v any) (string, *oslo.Error) {
	s, _ := v.(string)
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return "", invalid(name, "'%s' is not a valid CIDR.", py(v))
	}
	if p.Masked() != p {
		return "", invalid(name, "'%s' is not a recognized CIDR, '%s' is recommended.", s, p.Masked())
	}
	return s, nil
}

func parsePools(name string, v any) (any, *oslo.Error) {
	l, ok := v.([]any)
	if !ok {
		return nil, invalid(name, "Invalid data format for IP pool: '%s'.", py(v))
	}
	out := []Pool{}
	for _, x := range l {
		m, ok := x.(map[string]any)
		if !ok {
			return nil, invalid(name, "Invalid data format for IP pool: '%s'.", py(v))
		}
		if len(m) != 2 || m["start"] == nil || m["end"] == nil {
			return nil, keysWanted(name, "'end', 'start'", m)
		}
		start, err := ip(name, m["start"])
		if err != nil {
			return nil, err
		}
		end, err := ip(name, m["end"])
		if err != nil {
			return nil, err
		}
		out = append(out, Pool{start.(string), end.(string)})
	}
	return out, nil
}

func parseNameservers(name string, v any) (any, *oslo.Error) {
	l, err := list(name, v)
	if err != nil {
		return nil, invalid(name, "Invalid data format for nameserver: '%s'.", py(v))
	}
	out := []string{}
	for _, x := range l {
		s, _ := x.(string)
		if _, err := netip.ParseAddr(s); err != nil {
			return nil, invalid(name, "'%s' is not a valid nameserver. '%s' is not a valid IP address.", py(x), py(x))
		}
		if slices.Contains(out, s) {
			return nil, invalid(name, "Duplicate nameserver '%s'.", s)
		}
		out = append(out, s)
	}
	return out, nil
}

func parseRoutes(name string, v any) (any, *oslo.Error) {
	l, err := list(name, v)
	if err != nil {
		return nil, invalid(name, "Invalid data format for hostroute: '%s'.", py(v))
	}
	out := []Route{}
	for _, x := range l {
		m, ok := x.(map[string]any)
		if !ok {
			return nil, invalid(name, "Invalid data format for hostroute: '%s'.", py(x))
		}
		if len(m) != 2 || m["destination"] == nil || m["nexthop"] == nil {
			return nil, keysWanted(name, "'nexthop', 'destination'", m)
		}
		dest, err := subnetCIDR(name, m["destination"])
		if err != nil {
			return nil, err
		}
		hop, err := ip(name, m["nexthop"])
		if err != nil {
			return nil, err
		}
		r := Route{dest, hop.(string)}
		if slices.Contains(out, r) {
			return nil, invalid(name, "Duplicate hostroute '%s'.", py(x))
		}
		out = append(out, r)
	}
	return out, nil
}

// checkNew mirrors db/db_base_plugin_v2.py: _validate_subnet for a subnet without an ID.
func (s *Subnet) checkNew() error {
	if s.prefix.Addr().Is4() != (s.IPVersion == 4) {
		return invalidInput("cidr '%s' does not match the ip_version '%d'.", s.CIDR, s.IPVersion)
	}
	if s.EnableDHCP && s.prefix.Addr().BitLen()-s.prefix.Bits() < 2 {
		return invalidInput("Subnet has a prefix length that is incompatible with DHCP service enabled.")
	}
	if s.EnableDHCP && s.prefix.Addr().IsMulticast() {
		return invalidInput("Multicast IP subnet is not supported if enable_dhcp is True.")
	}
	if s.EnableDHCP && s.prefix.Addr().IsLoopback() {
		return invalidInput("Loopback IP subnet is not supported if enable_dhcp is True.")
	}
	if s.IPVersion == 4 {
		if s.RAMode != nil {
			return invalidInput("ipv6_ra_mode is not valid when ip_version is 4.")
		}
		if s.AddressMode != nil {
			return invalidInput("ipv6_address_mode is not valid when ip_version is 4.")
		}
		return nil
	}
	if (s.RAMode != nil || s.AddressMode != nil) && !s.EnableDHCP {
		return invalidInput("ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is set to False.")
	}
	if s.RAMode != nil && s.AddressMode != nil && *s.RAMode != *s.AddressMode {
		return invalidInput("ipv6_ra_mode set to '%s' with ipv6_address_mode set to '%s' is not valid. If both attributes are set, they must be the same value.", *s.RAMode, *s.AddressMode)
	}
	if s.auto() && s.prefix.Bits() != 64 {
		return invalidInput("Invalid CIDR %s for IPv6 address mode. OpenStack uses the EUI-64 address format, which requires the prefix to be /64.", s.CIDR)
	}
	return nil
}

func (s *Subnet) sameVersion(name, addr string) error {
	if netip.MustParseAddr(addr).Is4() != (s.IPVersion == 4) {
		return invalidInput("%s '%s' does not match the ip_version '%d'.", name, addr, s.IPVersion)
	}
	return nil
}

// auto reports whether ports derive their own addresses from their MAC addresses
// (neutron/common/ipv6_utils.py: is_auto_address_subnet).
func (s *Subnet) auto() bool {
	for _, m := range []*string{s.RAMode, s.AddressMode} {
		if m != nil && (*m == "slaac" || *m == "dhcpv6-stateless") {
			return true
		}
	}
	return false
}

// defaultGateway mirrors db/ipam_backend_mixin.py: _gateway_ip_str.
func (s *Subnet) defaultGateway(v oslo.Values) (*string, error) {
	if v.Sent("gateway_ip") {
		g := v.TextPtr("gateway_ip")
		if g == nil {
			return nil, nil
		}
		if err := s.sameVersion("gateway_ip", *g); err != nil {
			return nil, err
		}
		addr := netip.MustParseAddr(*g)
		if s.IPVersion == 4 && s.prefix.Bits() < 31 && (addr == s.prefix.Addr() || addr == last(s.prefix)) {
			return nil, invalidInput("Gateway is not valid on subnet.")
		}
		return g, nil
	}
	addr := s.prefix.Addr()
	if s.IPVersion == 4 {
		if addr = addr.Next(); s.prefix.Bits() > 30 {
			return nil, conflict("IpamValueInvalid", "Gateway IP %s cannot be allocated in CIDR %s", addr, s.CIDR)
		}
	}
	g := addr.String()
	return &g, nil
}

// defaultPools mirrors neutron/ipam/utils.py: generate_pools: all hosts except the gateway.
func (s *Subnet) defaultPools() []Pool {
	low, high := s.prefix.Addr(), last(s.prefix)
	if s.IPVersion == 4 && s.prefix.Bits() < 31 {
		low, high = low.Next(), high.Prev()
	} else if s.IPVersion == 6 && s.prefix.Bits() < 127 {
		low = low.Next()
	}
	if s.GatewayIP == nil {
		return []Pool{{low.String(), high.String()}}
	}
	g := netip.MustParseAddr(*s.GatewayIP)
	if g.Less(low) || high.Less(g) {
		return []Pool{{low.String(), high.String()}}
	}
	pools := []Pool{}
	if low.Less(g) {
		pools = append(pools, Pool{low.String(), g.Prev().String()})
	}
	if g.Less(high) {
		pools = append(pools, Pool{g.Next().String(), high.String()})
	}
	return pools
}

// checkPools mirrors db/ipam_backend_mixin.py: validate_allocation_pools and
// validate_gw_out_of_pools.
func (s *Subnet) checkPools() error {
	low, high := s.prefix.Addr(), last(s.prefix)
	if s.IPVersion == 4 && s.prefix.Bits() < 31 {
		low, high = low.Next(), high.Prev()
	}
	for i, p := range s.Pools {
		start, end := netip.MustParseAddr(p.Start), netip.MustParseAddr(p.End)
		if start.Is4() != (s.IPVersion == 4) || end.Is4() != start.Is4() || end.Less(start) {
			return oslo.Errorf(400, "InvalidAllocationPool", "The allocation pool {'start': '%s', 'end': '%s'} is not valid.", p.Start, p.End)
		}
		if start.Less(low) || high.Less(end) {
			return oslo.Errorf(400, "OutOfBoundsAllocationPool", "The allocation pool %s-%s spans beyond the subnet cidr %s.", p.Start, p.End, s.CIDR)
		}
		for _, q := range s.Pools[:i] {
			if !end.Less(netip.MustParseAddr(q.Start)) && !netip.MustParseAddr(q.End).Less(start) {
				return conflict("OverlappingAllocationPools", "Found overlapping allocation pools: %s-%s %s-%s for subnet %s.", q.Start, q.End, p.Start, p.End, s.CIDR)
			}
		}
		if s.GatewayIP == nil {
			continue
		}
		if g := netip.MustParseAddr(*s.GatewayIP); !g.Less(start) && !end.Less(g) {
			return conflict("GatewayConflictWithAllocationPools", "Gateway ip %s conflicts with allocation pool %s-%s.", g, p.Start, p.End)
		}
	}
	return nil
}

// last is the highest address of a prefix.
func last(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for bit := p.Bits(); bit < len(b)*8; bit++ {
		b[bit/8] |= 1 << (7 - bit%8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}
