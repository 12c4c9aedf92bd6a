package neutron

import (
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Subnet is a subnet as the API shows it.
type Subnet struct {
	Standard
	Name           string   `json:"name"`
	NetworkID      string   `json:"network_id"`
	IPVersion      int      `json:"ip_version"`
	SubnetPoolID   *string  `json:"subnetpool_id"`
	EnableDHCP     bool     `json:"enable_dhcp"`
	RAMode         *string  `json:"ipv6_ra_mode"`
	AddressMode    *string  `json:"ipv6_address_mode"`
	GatewayIP      *string  `json:"gateway_ip"`
	CIDR           string   `json:"cidr"`
	Pools          []Pool   `json:"allocation_pools"`
	HostRoutes     []Route  `json:"host_routes"`
	DNSNameservers []string `json:"dns_nameservers"`
	ServiceTypes   []string `json:"service_types"`
	Publish        *bool    `json:"dns_publish_fixed_ip,omitempty"`

	prefix netip.Prefix
}

// Pool is a range of addresses for ports.
type Pool struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

// Route is a static route of a subnet or a router.
type Route struct {
	Destination string `json:"destination"`
	NextHop     string `json:"nexthop"`
}

func (n *Neutron) addSubnets() {
	n.subnets = &kind[Subnet]{n: n, name: "subnet", path: "subnets", tagged: true,
		standard: func(s *Subnet) *Standard { return &s.Standard },
		visible: func(c *oslo.Caller, s *Subnet) bool {
			t, ok := n.networks.store.Get(s.NetworkID)
			return ok && (t.Shared || t.ProjectID == c.ProjectID || n.sharedWith(c.ProjectID, t.ID))
		},
		missing: func(id string) *oslo.Error {
			return notFound("SubnetNotFound", "Subnet %s could not be found.", id)
		},
		view:   func(_ *oslo.Caller, s *Subnet) any { return s },
		create: n.createSubnet, update: n.updateSubnet, remove: n.deleteSubnet,
		undo: n.dropSubnet,
	}
	n.subnets.matches = func(s *Subnet, key string, words []string) (bool, bool) {
		if key != "shared" {
			return false, false
		}
		t, _ := n.networks.store.Get(s.NetworkID)
		return oslo.Equal(t.Shared, words[0]), true
	}
	modes := orNull(oneOf("dhcpv6-stateful", "dhcpv6-stateless", "slaac"))
	n.subnets.filter = []string{"shared"}
	n.subnets.attrs = oslo.Table{
		{Name: "name", Plain: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "network_id", Filter: true, Create: oslo.Anybody, Required: true, Parse: uuid},
		{Name: "ip_version", Filter: true, Create: oslo.Anybody, Required: true, Parse: oneOf("4", "6")},
		{Name: "cidr", Filter: true, Create: oslo.Anybody, Parse: orNull(cidr)},
		{Name: "gateway_ip", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: orNull(ip)},
		{Name: "allocation_pools", Create: oslo.Anybody, Update: oslo.Anybody, Parse: parsePools},
		{Name: "dns_nameservers", Create: oslo.Anybody, Update: oslo.Anybody, Default: []string{}, Parse: parseNameservers},
		{Name: "host_routes", Create: oslo.Anybody, Update: oslo.Anybody, Default: []Route{}, Parse: parseRoutes},
		{Name: "enable_dhcp", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: true, Parse: boolean},
		{Name: "ipv6_ra_mode", Filter: true, Create: oslo.Anybody, Parse: modes},
		{Name: "ipv6_address_mode", Filter: true, Create: oslo.Anybody, Parse: modes},
		{Name: "service_types", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: []string{}, Parse: textList},
		{Name: "subnetpool_id", Filter: true, Create: oslo.Anybody, Parse: orNull(uuid)},
		{Name: "prefixlen", Create: oslo.Anybody, Parse: orNull(integer(0, 128))},
		{Name: "use_default_subnetpool", Create: oslo.Anybody, Default: false, Parse: boolean},
		{Name: "segment_id", Filter: true, Create: oslo.AdminOnly, Update: oslo.AdminOnly, Parse: orNull(uuid)},
	}
	n.more(&n.subnets.attrs, oslo.Attribute{Name: "dns_publish_fixed_ip", Plain: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: false, Parse: boolean})
	n.subnets.register()
}

// networkFor finds the network of a new subnet or port, and checks that the
// caller may use it (pecan_wsgi/hooks/ownership_validation.py).
func (n *Neutron) networkFor(c *oslo.Caller, id, what string) (*Network, error) {
	t, err := n.networks.find(c, id)
	if err != nil {
		return nil, err
	}
	if !c.Admin() && t.ProjectID != c.ProjectID && !t.Shared && !n.sharedWith(c.ProjectID, t.ID) {
		return nil, oslo.Errorf(403, "HTTPForbidden", "Tenant %s not allowed to create %s on this network", c.ProjectID, what)
	}
	return t, nil
}

func (n *Neutron) createSubnet(c *oslo.Call, v oslo.Values) (*Subnet, error) {
	t, err := n.networkFor(c.Caller, v.Text("network_id"), "subnet")
	if err != nil {
		return nil, err
	}
	chosen := v.Text("cidr")
	if v.Text("subnetpool_id") != "" {
		var poolErr error
		if chosen, poolErr = n.fromPool(c.Caller, v); poolErr != nil {
			return nil, poolErr
		}
	}
	if chosen == "" {
		return nil, oslo.Errorf(400, "BadRequest", "Bad subnets request: a subnetpool must be specified in the absence of a cidr.")
	}
	s := &Subnet{Standard: n.standard(v.Text("project_id"), v.Text("description")), NetworkID: t.ID,
		IPVersion: 4, EnableDHCP: v.Flag("enable_dhcp"), RAMode: v.TextPtr("ipv6_ra_mode"), AddressMode: v.TextPtr("ipv6_address_mode"),
		CIDR: chosen, SubnetPoolID: v.TextPtr("subnetpool_id")}
	if v.Text("ip_version") == "6" {
		s.IPVersion = 6
	}
	s.prefix = netip.MustParsePrefix(s.CIDR)
	if err := s.checkNew(); err != nil {
		return nil, err
	}
	if err := n.samePool(t, s.IPVersion, s.SubnetPoolID); err != nil {
		return nil, err
	}
	if err := n.layout(s, v); err != nil {
		return nil, err
	}
	for _, id := range t.Subnets {
		if other, ok := n.subnets.store.Get(id); ok && other.prefix.Overlaps(s.prefix) {
			return nil, invalidInput("Requested subnet with cidr: %s for network: %s overlaps with another subnet.", s.CIDR, t.ID)
		}
	}
	n.subnets.store.Add(s)
	n.taken[s.ID] = takenIPs{}
	t.Subnets = sortedTags(append(t.Subnets, s.ID))
	n.setScopes(t)
	n.bump(&t.Standard)
	n.addAutoAddresses(s)
	return s, nil
}

// layout sets the gateway, pools, name servers and routes of a new subnet.
func (n *Neutron) layout(s *Subnet, v oslo.Values) error {
	gateway, err := s.defaultGateway(v)
	if err != nil {
		return err
	}
	s.GatewayIP = gateway
	s.Pools = s.defaultPools()
	if pools, ok := v["allocation_pools"].([]Pool); ok {
		s.Pools = pools
	}
	if err := s.checkPools(); err != nil {
		return err
	}
	return s.takeLists(v)
}

func (s *Subnet) takeLists(v oslo.Values) error {
	if dns, ok := v["dns_nameservers"].([]string); ok {
		if len(dns) > 5 {
			return oslo400("DNSNameServersExhausted", "Unable to complete operation for %s. The number of DNS nameservers exceeds the limit 5.", s.who())
		}
		for _, d := range dns {
			if err := s.sameVersion("dns_nameserver", d); err != nil {
				return err
			}
		}
		s.DNSNameservers = dns
	}
	if routes, ok := v["host_routes"].([]Route); ok {
		if len(routes) > 20 {
			return oslo400("HostRoutesExhausted", "Unable to complete operation for %s. The number of host routes exceeds the limit 20.", s.who())
		}
		for _, r := range routes {
			if err := s.sameVersion("nexthop", r.NextHop); err != nil {
				return err
			}
		}
		s.HostRoutes = routes
	}
	return nil
}

func (s *Subnet) who() string {
	if s.DNSNameservers == nil || s.HostRoutes == nil {
		return "new subnet"
	}
	return s.ID
}

func (n *Neutron) updateSubnet(_ *oslo.Call, s *Subnet, v oslo.Values) error {
	changed := *s
	if gateway, sent := v["gateway_ip"]; sent {
		changed.GatewayIP = nil
		if g, ok := gateway.(string); ok {
			if err := s.sameVersion("gateway_ip", g); err != nil {
				return err
			}
			changed.GatewayIP = &g
		}
		if err := n.gatewayFree(s, changed.GatewayIP); err != nil {
			return err
		}
	}
	oslo.Take(v, "allocation_pools", &changed.Pools)
	if err := changed.checkPools(); err != nil {
		return err
	}
	if err := changed.takeLists(v); err != nil {
		return err
	}
	*s = changed
	if t, ok := n.networks.store.Get(s.NetworkID); ok {
		n.bump(&t.Standard)
	}
	return nil
}

// gatewayFree mirrors db/db_base_plugin_v2.py: GatewayIpInUse.
func (n *Neutron) gatewayFree(s *Subnet, next *string) error {
	if s.GatewayIP == nil || next != nil && *next == *s.GatewayIP {
		return nil
	}
	addr := netip.MustParseAddr(*s.GatewayIP)
	if p, ok := n.ports.store.Get(n.taken[s.ID][addr]); ok && routerOwner(p.DeviceOwner) {
		return conflict("GatewayIpInUse", "Current gateway ip %s already in use by port %s. Unable to update.", *s.GatewayIP, p.ID)
	}
	return nil
}

// deleteSubnet mirrors plugins/ml2/plugin.py: delete_subnet. Addresses that ports
// derived themselves are removed with it. Any other address prevents the deletion.
func (n *Neutron) deleteSubnet(_ *oslo.Call, s *Subnet) error {
	for _, p := range n.portsOn(s) {
		if !autoDeleted(p.DeviceOwner) && (!s.auto() || routerOwner(p.DeviceOwner)) {
			return conflict("SubnetInUse", "Unable to complete operation on subnet %s: One or more ports have an IP allocation from this subnet.", s.ID)
		}
	}
	n.dropSubnet(s)
	return nil
}

// portsOn are the ports that have an address of the subnet.
func (n *Neutron) portsOn(s *Subnet) []*Port {
	return n.ports.store.Where(func(p *Port) bool {
		return p.NetworkID == s.NetworkID && slices.ContainsFunc(p.FixedIPs, func(f FixedIP) bool { return f.SubnetID == s.ID })
	})
}

// dropSubnet removes a subnet, and its addresses from all ports.
func (n *Neutron) dropSubnet(s *Subnet) {
	for _, p := range n.portsOn(s) {
		p.FixedIPs = slices.DeleteFunc(slices.Clone(p.FixedIPs), func(f FixedIP) bool { return f.SubnetID == s.ID })
		n.bump(&p.Standard)
		if autoDeleted(p.DeviceOwner) && len(p.FixedIPs) == 0 {
			n.dropPort(p)
		}
	}
	n.subnets.store.Remove(s.ID)
	delete(n.taken, s.ID)
	if t, ok := n.networks.store.Get(s.NetworkID); ok {
		t.Subnets = slices.DeleteFunc(slices.Clone(t.Subnets), func(id string) bool { return id == s.ID })
		n.setScopes(t)
		n.bump(&t.Standard)
	}
}
