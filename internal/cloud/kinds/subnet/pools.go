package subnet

import (
	"net/netip"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// usualPools are the pools that Neutron makes for an IPv4 subnet if the manifest names none. They contain all addresses
// except the network address, the broadcast address and the gateway (neutron/ipam/utils.py: generate_pools). gateway is ""
// if there is none. For other subnets, the result is nil.
func usualPools(cidr, gateway string) (pools []Pool) {
	p, err := netip.ParsePrefix(cidr)
	if err != nil || !p.Addr().Is4() {
		return nil
	}
	first, last := p.Masked().Addr(), lastOf(p)
	if p.Bits() < 31 {
		first, last = first.Next(), last.Prev()
	}
	at, all := address(gateway), kind.Pool{First: first, Last: last}
	if !all.Has(at) {
		return []Pool{{Start: first.String(), End: last.String()}}
	}
	if at != first {
		pools = append(pools, Pool{Start: first.String(), End: at.Prev().String()})
	}
	if at != last {
		pools = append(pools, Pool{Start: at.Next().String(), End: last.String()})
	}
	return pools
}

// lastOf is the last address of an IPv4 network.
func lastOf(p netip.Prefix) netip.Addr {
	last := p.Masked().Addr().As4()
	for bit := p.Bits(); bit < 32; bit++ {
		last[bit/8] |= 1 << (7 - bit%8)
	}
	return netip.AddrFrom4(last)
}

// counted are the pools whose addresses are counted. IPv6 pools are not counted, because they have more addresses than
// anybody requests.
func counted(pools []Pool) (list []kind.Pool) {
	for _, p := range pools {
		if first, last := address(p.Start), address(p.End); first.Is4() && last.Is4() && !last.Less(first) {
			list = append(list, kind.Pool{First: first, Last: last})
		}
	}
	return list
}
