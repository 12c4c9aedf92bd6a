package neutron

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"net/netip"
	"slices"
	"strings"
)

// FixedIP is an address of a port.
type FixedIP struct {
	SubnetID string `json:"subnet_id"`
	IP       string `json:"ip_address"`
}

// takenIPs maps the used addresses of a subnet to the IDs of ports.
type takenIPs map[netip.Addr]string

// wish is one entry of fixed_ips in a request; either part may be empty. Only a
// router may get the gateway's address.
type wish struct {
	subnet, ip string
	gateway    bool
}

// addresses finds free addresses for a port. The port gets an address for each wish, or one for each IP version
// if the request has no wishes. On SLAAC subnets, it also gets the addresses that it derives from its MAC
// address. Nothing is reserved (db/ipam_pluggable_backend.py: _allocate_ips_for_port).
func (n *Neutron) addresses(t *Network, wishes []wish, given bool, mac string, keep []FixedIP) ([]FixedIP, error) {
	subnets := n.subnetsOf(t)
	picked := slices.Clone(keep)
	if given {
		for _, w := range wishes {
			f, err := n.grant(t, subnets, w, mac, picked)
			if err != nil {
				return nil, err
			}
			picked = append(picked, f)
		}
		if len(wishes) == 0 {
			return orNone(picked), nil
		}
	} else {
		for _, version := range []int{4, 6} {
			f, err := n.anyFree(t, subnets, version, picked)
			if err != nil {
				return nil, err
			}
			picked = append(picked, f...)
		}
	}
	if len(wishes) > 0 && wishes[0].gateway {
		return picked, nil
	}
	for _, s := range subnets {
		if s.auto() && !slices.ContainsFunc(picked, func(f FixedIP) bool { return f.SubnetID == s.ID }) {
			picked = append(picked, FixedIP{s.ID, eui64(s.prefix, mac)})
		}
	}
	return orNone(picked), nil
}

func orNone(f []FixedIP) []FixedIP {
	if f == nil {
		return []FixedIP{}
	}
	return f
}

func (n *Neutron) subnetsOf(t *Network) []*Subnet {
	var out []*Subnet
	for _, id := range t.Subnets {
		if s, ok := n.subnets.store.Get(id); ok {
			out = append(out, s)
		}
	}
	return out
}

// grant finds an address for one wish (db/ipam_backend_mixin.py:
// _get_subnet_for_fixed_ip).
func (n *Neutron) grant(t *Network, subnets []*Subnet, w wish, mac string, picked []FixedIP) (FixedIP, error) {
	if w.subnet == "" && w.ip == "" {
		return FixedIP{}, invalidInput("IP allocation requires subnet_id or ip_address.")
	}
	s, err := n.subnetFor(t, subnets, w)
	if err != nil {
		return FixedIP{}, err
	}
	if w.ip == "" {
		if s.auto() {
			return FixedIP{s.ID, eui64(s.prefix, mac)}, nil
		}
		a, ok := n.free(s, picked)
		if !ok {
			return FixedIP{}, conflict("IpAddressGenerationFailure", "No more IP addresses available on network %s.", t.ID)
		}
		return FixedIP{s.ID, a.String()}, nil
	}
	a := netip.MustParseAddr(w.ip)
	if !w.gateway && !s.usable(a) {
		return FixedIP{}, oslo400("InvalidIpForSubnet", "IP address %s is not a valid IP for the specified subnet.", w.ip)
	}
	if s.auto() && !w.gateway && w.ip != eui64(s.prefix, mac) {
		return FixedIP{}, oslo400("AllocationOnAutoAddressSubnet", "IPv6 address %s cannot be directly assigned to a port on subnet %s as the subnet is configured for automatic addresses", w.ip, s.ID)
	}
	if _, used := n.taken[s.ID][a]; used || slices.Contains(picked, FixedIP{s.ID, w.ip}) {
		return FixedIP{}, conflict("IpAddressAlreadyAllocated", "IP address %s already allocated in subnet %s", w.ip, s.ID)
	}
	return FixedIP{s.ID, w.ip}, nil
}

func (n *Neutron) subnetFor(t *Network, subnets []*Subnet, w wish) (*Subnet, error) {
	if w.subnet != "" {
		s, ok := n.subnets.store.Get(w.subnet)
		if !ok {
			return nil, n.subnets.missing(w.subnet)
		}
		if s.NetworkID != t.ID {
			return nil, invalidInput("Failed to create port on network %s, because fixed_ips included invalid subnet %s.", t.ID, s.ID)
		}
		return s, nil
	}
	a := netip.MustParseAddr(w.ip)
	for _, s := range subnets {
		if s.usable(a) {
			return s, nil
		}
	}
	return nil, oslo400("InvalidIpForNetwork", "IP address %s is not a valid IP for any of the subnets on the specified network.", w.ip)
}

// usable mirrors neutron/ipam/utils.py: check_subnet_ip.
func (s *Subnet) usable(a netip.Addr) bool {
	if !s.prefix.Contains(a) {
		return false
	}
	return s.IPVersion == 6 && a != s.prefix.Addr() || s.IPVersion == 4 && (s.prefix.Bits() > 30 || a != s.prefix.Addr() && a != last(s.prefix))
}

// anyFree finds an address of one IP version in any subnet. A network without
// subnets of that version has none.
func (n *Neutron) anyFree(t *Network, subnets []*Subnet, version int, picked []FixedIP) ([]FixedIP, error) {
	tried := false
	for _, s := range subnets {
		if s.IPVersion != version || s.auto() || len(s.ServiceTypes) > 0 {
			continue
		}
		tried = true
		if a, ok := n.free(s, picked); ok {
			return []FixedIP{{s.ID, a.String()}}, nil
		}
	}
	if tried {
		return nil, conflict("IpAddressGenerationFailure", "No more IP addresses available on network %s.", t.ID)
	}
	return nil, nil
}

// free chooses a free address of the pools at random, as ipam/drivers/neutrondb_ipam does. If that fails a few
// times, it chooses the first free address.
func (n *Neutron) free(s *Subnet, picked []FixedIP) (netip.Addr, bool) {
	ok := func(a netip.Addr) bool {
		_, used := n.taken[s.ID][a]
		return !used && !slices.Contains(picked, FixedIP{s.ID, a.String()})
	}
	if len(s.Pools) == 0 {
		return netip.Addr{}, false
	}
	for range 8 {
		p := s.Pools[n.cloud.Intn(len(s.Pools))]
		if a := n.within(p); ok(a) {
			return a, true
		}
	}
	for _, p := range s.Pools {
		end := netip.MustParseAddr(p.End)
		for a := netip.MustParseAddr(p.Start); a.IsValid() && !end.Less(a); a = a.Next() {
			if ok(a) {
				return a, true
			}
		}
	}
	return netip.Addr{}, false
}

func (n *Neutron) within(p Pool) netip.Addr {
	start, end := netip.MustParseAddr(p.Start), netip.MustParseAddr(p.End)
	low := new(big.Int).SetBytes(start.AsSlice())
	size := new(big.Int).Sub(new(big.Int).SetBytes(end.AsSlice()), low)
	window := 1 << 16
	if size.IsInt64() && size.Int64() < int64(window) {
		window = int(size.Int64()) + 1
	}
	low.Add(low, big.NewInt(int64(n.cloud.Intn(window))))
	a, _ := netip.AddrFromSlice(low.FillBytes(make([]byte, len(start.AsSlice()))))
	return a
}

// eui64 is the address that a port with this MAC address derives for a /64.
func eui64(p netip.Prefix, mac string) string {
	hw, err := hex.DecodeString(strings.ReplaceAll(mac, ":", ""))
	if err != nil || len(hw) != 6 {
		return p.Addr().String()
	}
	b := p.Addr().As16()
	copy(b[8:], []byte{hw[0] ^ 2, hw[1], hw[2], 0xff, 0xfe, hw[3], hw[4], hw[5]})
	return netip.AddrFrom16(b).String()
}

// newMAC mirrors neutron_lib/utils/net.py: get_random_mac with the default base.
func (n *Neutron) newMAC(network string) string {
	for {
		m := fmt.Sprintf("fa:16:3e:%02x:%02x:%02x", n.cloud.Intn(256), n.cloud.Intn(256), n.cloud.Intn(256))
		if _, used := n.macs[keyOf(network, m)]; !used {
			return m
		}
	}
}

// addAutoAddresses gives the ports of a network their addresses on a new SLAAC
// subnet (db/ipam_pluggable_backend.py: add_auto_addrs_on_network_ports).
func (n *Neutron) addAutoAddresses(s *Subnet) {
	if !s.auto() {
		return
	}
	for p := range n.ports.store.All() {
		if p.NetworkID != s.NetworkID || routerOwner(p.DeviceOwner) {
			continue
		}
		f := FixedIP{s.ID, eui64(s.prefix, p.MAC)}
		p.FixedIPs = append(p.FixedIPs, f)
		n.taken[s.ID][netip.MustParseAddr(f.IP)] = p.ID
		n.bump(&p.Standard)
	}
}
