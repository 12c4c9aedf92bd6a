package neutron

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// SubnetPool is a subnet pool as the API shows it.
type SubnetPool struct {
	Standard
	Name         string   `json:"name"`
	Prefixes     []string `json:"prefixes"`
	IPVersion    int      `json:"ip_version"`
	DefaultQuota *int     `json:"default_quota"`
	Default      int      `json:"default_prefixlen"`
	Min          int      `json:"min_prefixlen"`
	Max          int      `json:"max_prefixlen"`
	IsDefault    bool     `json:"is_default"`
	Shared       bool     `json:"shared"`
	ScopeID      *string  `json:"address_scope_id"`
}

func (n *Neutron) addSubnetPools() {
	n.subnetPools = &kind[SubnetPool]{n: n, name: "subnetpool", path: "subnetpools", tagged: true,
		standard: func(p *SubnetPool) *Standard { return &p.Standard },
		visible:  func(_ *oslo.Caller, p *SubnetPool) bool { return p.Shared },
		missing: func(id string) *oslo.Error {
			return notFound("SubnetPoolNotFound", "Subnet pool %s could not be found.", id)
		},
		view:    func(_ *oslo.Caller, p *SubnetPool) any { return p },
		viewNew: viewNewPool,
		create:  n.createSubnetPool, update: n.updateSubnetPool, remove: n.deleteSubnetPool,
		undo: func(p *SubnetPool) { n.subnetPools.store.Remove(p.ID) },
	}
	n.subnetPools.attrs = oslo.Table{
		{Name: "name", Plain: true, Create: oslo.Anybody, Update: oslo.Anybody, Required: true, Parse: notEmpty},
		{Name: "prefixes", Create: oslo.Anybody, Update: oslo.Anybody, Required: true, Parse: cidrs},
		{Name: "default_quota", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: nonNegative},
		{Name: "default_prefixlen", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: nonNegative},
		{Name: "min_prefixlen", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: nonNegative},
		{Name: "max_prefixlen", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: nonNegative},
		{Name: "is_default", Plain: true, Filter: true, Create: oslo.AdminOnly, Update: oslo.AdminOnly, Default: false, Parse: boolean},
		{Name: "shared", Plain: true, Filter: true, Create: oslo.AdminOnly, Default: false, Parse: boolean},
		{Name: "address_scope_id", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: orNull(uuid)}, {Name: "ip_version", Filter: true},
	}
	n.subnetPools.register()
}

// viewNewPool shows prefix lengths as texts if the request did not contain them. Zed does so in the answer to a
// create.
func viewNewPool(_ *oslo.Caller, p *SubnetPool) any {
	return struct {
		*SubnetPool
		Default string `json:"default_prefixlen"`
		Min     string `json:"min_prefixlen"`
		Max     string `json:"max_prefixlen"`
	}{p, strconv.Itoa(p.Default), strconv.Itoa(p.Min), strconv.Itoa(p.Max)}
}

func notEmpty(name string, v any) (any, *oslo.Error) {
	if s, _ := v.(string); s == "" {
		return nil, invalid(name, "'%s' Blank strings are not permitted.", py(v))
	}
	return text(255)(name, v)
}

// cidrs mirrors validators.validate_subnet_list with the conversion of the object: host bits are cleared.
func cidrs(name string, v any) (any, *oslo.Error) {
	l, err := list(name, v)
	if err != nil {
		return nil, err
	}
	out := []string{}
	for i, x := range l {
		s, _ := x.(string)
		p, perr := netip.ParsePrefix(s)
		if perr != nil {
			return nil, invalid(name, "'%s' isn't a recognized IP subnet cidr, '%s/32' is recommended.", py(x), py(x))
		}
		if slices.Contains(l[:i], x) {
			return nil, invalid(name, "Duplicate items in the list: '%s'.", s)
		}
		out = append(out, p.Masked().String())
	}
	return out, nil
}

func (n *Neutron) createSubnetPool(c *oslo.Call, v oslo.Values) (*SubnetPool, error) {
	p := &SubnetPool{Standard: n.standard(v.Text("project_id"), v.Text("description"))}
	p.Prefixes, _ = v["prefixes"].([]string)
	if len(p.Prefixes) == 0 {
		return nil, oslo400("EmptySubnetPoolPrefixList", "Empty subnet pool prefix list.")
	}
	first := netip.MustParsePrefix(p.Prefixes[0])
	for _, s := range p.Prefixes {
		if netip.MustParsePrefix(s).Addr().Is4() != first.Addr().Is4() {
			return nil, oslo400("PrefixVersionMismatch", "Cannot mix IPv4 and IPv6 prefixes in a subnet pool.")
		}
	}
	p.Prefixes = merged(p.Prefixes)
	p.IPVersion, p.Min, p.Max = 4, 8, 32
	if first.Addr().Is6() {
		p.IPVersion, p.Min, p.Max = 6, 64, 128
	}
	oslo.Take(v, "min_prefixlen", &p.Min)
	p.Default = p.Min
	if err := n.setPool(c, p, v); err != nil {
		return nil, err
	}
	n.subnetPools.store.Add(p)
	return p, nil
}

func (n *Neutron) setPool(c *oslo.Call, p *SubnetPool, v oslo.Values) error {
	changed := *p
	oslo.Take(v, "min_prefixlen", &changed.Min)
	oslo.Take(v, "max_prefixlen", &changed.Max)
	oslo.Take(v, "default_prefixlen", &changed.Default)
	oslo.TakePtr(v, "address_scope_id", &changed.ScopeID)
	switch {
	case changed.Min > changed.Max:
		return oslo400("IllegalSubnetPoolPrefixBounds", "Illegal prefix bounds: min_prefixlen=%d, max_prefixlen=%d.", changed.Min, changed.Max)
	case changed.Default < changed.Min:
		return oslo400("IllegalSubnetPoolPrefixBounds", "Illegal prefix bounds: default_prefixlen=%d, min_prefixlen=%d.", changed.Default, changed.Min)
	case changed.Default > changed.Max:
		return oslo400("IllegalSubnetPoolPrefixBounds", "Illegal prefix bounds: default_prefixlen=%d, max_prefixlen=%d.", changed.Default, changed.Max)
	}
	if changed.ScopeID != nil {
		if err := n.fitsScope(c.Caller, &changed); err != nil {
			return err
		}
	}
	*p = changed
	return nil
}

// fitsScope mirrors db/db_base_plugin_v2.py: _validate_address_scope_id.
func (n *Neutron) fitsScope(c *oslo.Caller, p *SubnetPool) error {
	scope, err := n.addressScopes.find(c, *p.ScopeID)
	if err != nil {
		return err
	}
	if scope.IPVersion != p.IPVersion {
		return oslo400("IllegalSubnetPoolIpVersionAssociationToAddressScope", "Illegal subnetpool association: subnetpool %s cannot associate with address scope %s because subnetpool ip_version is not %d.", p.ID, scope.ID, scope.IPVersion)
	}
	for other := range n.subnetPools.store.All() {
		if other.ID == p.ID || other.ScopeID == nil || *other.ScopeID != scope.ID {
			continue
		}
		for _, a := range other.Prefixes {
			if slices.ContainsFunc(p.Prefixes, func(b string) bool { return netip.MustParsePrefix(a).Overlaps(netip.MustParsePrefix(b)) }) {
				return conflict("AddressScopePrefixConflict", "Failed to associate address scope: subnetpools within an address scope must have unique prefixes.")
			}
		}
	}
	return nil
}

func (n *Neutron) updateSubnetPool(c *oslo.Call, p *SubnetPool, v oslo.Values) error {
	changed := *p
	if prefixes, sent := v["prefixes"].([]string); sent {
		changed.Prefixes = merged(prefixes)
		for _, have := range p.Prefixes {
			if !within(netip.MustParsePrefix(have), changed.Prefixes) {
				return oslo400("IllegalSubnetPoolPrefixUpdate", "Illegal update to prefixes: Existing prefixes must be a subset of the new prefixes.")
			}
		}
	}
	if err := n.setPool(c, &changed, v); err != nil {
		return err
	}
	*p = changed
	return nil
}

func (n *Neutron) deleteSubnetPool(_ *oslo.Call, p *SubnetPool) error {
	if len(n.allocated(p.ID)) > 0 {
		return oslo400("SubnetPoolDeleteError", "Unable to delete subnet pool: Subnet pool has existing allocations.")
	}
	n.subnetPools.store.Remove(p.ID)
	return nil
}

func (n *Neutron) allocated(pool string) []*Subnet {
	return n.subnets.store.Where(func(s *Subnet) bool { return s.SubnetPoolID != nil && *s.SubnetPoolID == pool })
}
