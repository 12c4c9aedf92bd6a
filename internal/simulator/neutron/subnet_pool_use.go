package neutron

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

func within(p netip.Prefix, list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		q := netip.MustParsePrefix(s)
		return q.Bits() <= p.Bits() && q.Contains(p.Addr())
	})
}

// merged joins two prefixes if they are the two halves of a larger prefix, as netaddr's IPSet does.
func merged(prefixes []string) []string {
	var list []netip.Prefix
	for _, s := range prefixes {
		list = append(list, netip.MustParsePrefix(s).Masked())
	}
	for again := true; again; {
		again = false
		slices.SortFunc(list, netip.Prefix.Compare)
		for i := 1; i < len(list); i++ {
			a, b := list[i-1], list[i]
			whole := netip.PrefixFrom(a.Addr(), max(a.Bits()-1, 0)).Masked()
			switch {
			case a.Overlaps(b):
				if b.Bits() < a.Bits() {
					list[i-1] = b
				}
			case a.Bits() == b.Bits() && a.Addr() == whole.Addr() && whole.Contains(b.Addr()):
				list[i-1] = whole
			default:
				continue
			}
			list, again = slices.Delete(list, i, i+1), true
			break
		}
	}
	out := []string{}
	for _, p := range list {
		out = append(out, p.String())
	}
	return out
}

// fromPool returns the prefix of a new subnet from a subnet pool. It checks the requested prefix, or chooses one
// (neutron/ipam/subnet_alloc.py).
func (n *Neutron) fromPool(c *oslo.Caller, v oslo.Values) (string, error) {
	p, err := n.subnetPools.find(c, v.Text("subnetpool_id"))
	if err != nil {
		return "", err
	}
	if version := v.Text("ip_version"); version != strconv.Itoa(p.IPVersion) {
		return "", oslo400("BadRequest", "Bad subnets request: Cannot allocate IPv%s subnet from IPv%d subnet pool.", version, p.IPVersion)
	}
	if v["cidr"] != nil && v["prefixlen"] != nil {
		return "", oslo400("BadRequest", "Bad subnets request: cidr and prefixlen must not be supplied together.")
	}
	asked := v.Text("cidr")
	length := p.Default
	oslo.Take(v, "prefixlen", &length)
	if asked != "" {
		length = netip.MustParsePrefix(asked).Bits()
	}
	switch {
	case length < p.Min:
		return "", oslo400("MinPrefixSubnetAllocationError", "Unable to allocate subnet with prefix length %d, minimum allowed prefix is %d.", length, p.Min)
	case length > p.Max:
		return "", oslo400("MaxPrefixSubnetAllocationError", "Unable to allocate subnet with prefix length %d, maximum allowed prefix is %d.", length, p.Max)
	}
	if err := n.poolQuota(p, v.Text("project_id"), length); err != nil {
		return "", err
	}
	if asked != "" {
		if want := netip.MustParsePrefix(asked); !within(want, p.Prefixes) || n.poolTaken(p, want) {
			return "", oslo.Errorf(500, "SubnetAllocationError", "Failed to allocate subnet: Cannot allocate requested subnet from the available set of prefixes.")
		}
		return asked, nil
	}
	for _, prefix := range p.Prefixes {
		whole := netip.MustParsePrefix(prefix)
		for free := netip.PrefixFrom(whole.Addr(), length); length >= whole.Bits() && whole.Contains(free.Addr()); free = netip.PrefixFrom(last(free).Next(), length) {
			if !n.poolTaken(p, free) {
				return free.String(), nil
			}
		}
	}
	return "", oslo.Errorf(500, "SubnetAllocationError", "Failed to allocate subnet: Insufficient prefix space to allocate subnet size /%d.", length)
}

func (n *Neutron) poolTaken(p *SubnetPool, want netip.Prefix) bool {
	return slices.ContainsFunc(n.allocated(p.ID), func(s *Subnet) bool { return s.prefix.Overlaps(want) })
}

// poolQuota checks the pool's quota, which counts addresses for IPv4 and /64
// networks for IPv6.
func (n *Neutron) poolQuota(p *SubnetPool, project string, length int) error {
	if p.DefaultQuota == nil {
		return nil
	}
	bits := 32
	if p.IPVersion == 6 {
		bits = 64
	}
	used := 1 << max(bits-length, 0)
	for _, s := range n.allocated(p.ID) {
		if s.ProjectID == project {
			used += 1 << max(bits-s.prefix.Bits(), 0)
		}
	}
	if used > *p.DefaultQuota {
		return conflict("SubnetPoolQuotaExceeded", "Per-tenant subnet pool prefix quota exceeded.")
	}
	return nil
}

// samePool mirrors db/ipam_backend_mixin.py: _validate_network_subnetpools.
func (n *Neutron) samePool(t *Network, version int, pool *string) error {
	for _, id := range t.Subnets {
		other, ok := n.subnets.store.Get(id)
		if ok && other.IPVersion == version && !equal(other.SubnetPoolID, pool) {
			return oslo400("NetworkSubnetPoolAffinityError", "Subnets hosted on the same network must be allocated from the same subnet pool.")
		}
	}
	return nil
}

// setScopes sets a network's address scopes to those of its subnets.
func (n *Neutron) setScopes(t *Network) {
	t.IPv4AddressScope, t.IPv6AddressScope = nil, nil
	for _, id := range t.Subnets {
		s, ok := n.subnets.store.Get(id)
		if !ok || s.SubnetPoolID == nil {
			continue
		}
		pool, ok := n.subnetPools.store.Get(*s.SubnetPoolID)
		switch {
		case ok && s.IPVersion == 4:
			t.IPv4AddressScope = pool.ScopeID
		case ok:
			t.IPv6AddressScope = pool.ScopeID
		}
	}
}
