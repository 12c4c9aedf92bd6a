package octavia

import (
	"errors"
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/neutron"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

func (o *Octavia) createBalancer(c *oslo.Call) (*oslo.Response, error) {
	in, bad := body(c, "loadbalancer")
	if bad == nil {
		bad = balancerPOST.check(in)
	}
	if bad != nil {
		return nil, bad
	}
	listeners, pools, err := nested(in)
	if err != nil {
		return nil, err
	}
	lb := &LoadBalancer{Base: o.newBase(c), AdditionalVIPs: []VIP{}, Provider: "amphora"}
	if err := take(in, lb); err != nil {
		return nil, err
	}
	if err := o.checkOffer(lb); err != nil {
		return nil, err
	}
	if err := o.placeVIP(c, lb); err != nil {
		return nil, err
	}
	if err := o.placeFurther(c, lb); err != nil {
		return nil, err
	}
	if err := o.reserve(lb.ProjectID, "load_balancer", 1); err != nil {
		return nil, err
	}
	if err := o.plugVIP(lb); err != nil {
		return nil, err
	}
	// If the request fails after this line, the port remains, as in the real service.
	g := &graph{o: o, c: c, lb: lb, pools: map[string]*Pool{}}
	o.lbs.Add(lb)
	if err := g.build(listeners, pools); err != nil {
		o.lbs.Remove(lb.ID)
		return nil, err
	}
	lb.refresh()
	o.settleLater(lb)
	return oslo.Created(map[string]any{"loadbalancer": lb.whole()}), nil
}

func (o *Octavia) newBase(c *oslo.Call) Base {
	return Base{ID: o.cloud.UUID(), Provisioning: pendingCreate, Operating: offline, AdminStateUp: true,
		ProjectID: c.Caller.ProjectID, TenantID: c.Caller.ProjectID, CreatedAt: stamp(c.Now), Tags: []string{}}
}

func (o *Octavia) checkOffer(lb *LoadBalancer) error {
	switch lb.Provider {
	case "octavia":
		lb.Provider = "amphora"
	case "amphora", ovn:
	default:
		return badRequest("Provider '%s' is not enabled.", lb.Provider)
	}
	if lb.Provider == ovn && lb.FlavorID != nil {
		return unsupported("This provider does not support flavors.")
	}
	if id := lb.FlavorID; id != nil && !slices.ContainsFunc(o.flavors, func(f Offer) bool { return f.ID == *id }) {
		return invalidOption("flavor", *id)
	}
	if name := lb.AvailabilityZone; name != nil && !slices.ContainsFunc(o.zones, func(f Offer) bool { return f.Name == *name }) {
		return invalidOption("availability zone", *name)
	}
	return nil
}

func invalidOption(what, value string) *oslo.Error {
	return badRequest("The selected %s is not allowed in this deployment: %s", what, value)
}

// placeVIP finds the network and the subnet of the address
// (octavia/api/v2/controllers/load_balancer.py: _validate_vip_request_object).
func (o *Octavia) placeVIP(c *oslo.Call, lb *LoadBalancer) error {
	if lb.VIPSubnetID != "" {
		s, err := o.neutron.VisibleSubnet(c.Caller, lb.VIPSubnetID)
		if err != nil {
			return missing("Subnet", lb.VIPSubnetID)
		}
		lb.VIPNetworkID = s.NetworkID
		return nil
	}
	if lb.VIPNetworkID == "" {
		return invalid("VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.")
	}
	network, err := o.neutron.VisibleNetwork(c.Caller, lb.VIPNetworkID)
	if err != nil {
		return missing("Network", lb.VIPNetworkID)
	}
	s := o.subnetFor(network, lb.VIPAddress)
	if s == nil && lb.VIPAddress != "" {
		return invalid("Supplied network does not contain a subnet for VIP address specified.")
	} else if s == nil {
		return invalid("Supplied network does not contain a subnet.")
	}
	lb.VIPSubnetID = s.ID
	return nil
}

// subnetFor returns the subnet that contains the address. Without an address, it returns the first subnet, and
// prefers IPv4.
func (o *Octavia) subnetFor(n *neutron.Network, vip string) *neutron.Subnet {
	var first *neutron.Subnet
	for _, id := range n.Subnets {
		s, ok := o.neutron.Subnet(id)
		if !ok {
			continue
		}
		if vip != "" {
			prefix, err := netip.ParsePrefix(s.CIDR)
			ip, err2 := netip.ParseAddr(vip)
			if err == nil && err2 == nil && prefix.Contains(ip) {
				return s
			}
			continue
		}
		if first == nil || first.IPVersion == 6 && s.IPVersion == 4 {
			first = s
		}
	}
	return first
}

// plugVIP creates the port with the address of the load balancer.
func (o *Octavia) plugVIP(lb *LoadBalancer) error {
	ip := map[string]any{"subnet_id": lb.VIPSubnetID}
	if lb.VIPAddress != "" {
		ip["ip_address"] = lb.VIPAddress
	}
	p, err := o.neutron.CreatePort(lb.ProjectID, map[string]any{
		"name": "octavia-lb-" + lb.ID, "network_id": lb.VIPNetworkID, "fixed_ips": append([]any{ip}, lb.furtherIPs()...), "admin_state_up": false,
		"device_id": "lb-" + lb.ID, "device_owner": "Octavia",
	})
	if err != nil {
		text := err.Error()
		if e := new(oslo.Error); errors.As(err, &e) {
			text = e.Message
		}
		return oslo.Errorf(500, "ProviderDriverError", "Provider 'amphora' reports error: %s\nNeutron server returns request_ids: ['req-%s']", text, o.cloud.UUID())
	}
	lb.VIPPortID = p.ID
	for _, ip := range p.FixedIPs {
		lb.placed(ip.SubnetID, ip.IP)
	}
	return nil
}

func (o *Octavia) updateBalancer(c *oslo.Call) (*oslo.Response, error) {
	lb, err := o.balancer.find(c, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	in, bad := body(c, "loadbalancer")
	if bad == nil {
		bad = balancerPUT.check(in)
	}
	if bad != nil {
		return nil, bad
	}
	if lb.Provisioning != active {
		return nil, badState(lb)
	}
	if err := take(in, lb); err != nil {
		return nil, err
	}
	o.lock(lb)
	return oslo.OK(map[string]any{"loadbalancer": lb}), nil
}

func (o *Octavia) deleteBalancer(c *oslo.Call) (*oslo.Response, error) {
	lb, err := o.balancer.find(c, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	cascade := oslo.Truthy(c.Query().Get("cascade"))
	if !cascade && len(lb.listeners)+len(lb.pools) > 0 {
		return nil, invalid("Cannot delete Load Balancer %s - it has children", lb.ID)
	}
	if lb.Provisioning != active && lb.Provisioning != failing {
		return nil, badState(lb)
	}
	o.lock(lb)
	for _, b := range lb.bases() {
		b.Provisioning = pendingDelete
	}
	return oslo.NoContent(), nil
}

// whole returns the answer to a create request. It contains the objects of the tree instead of their IDs.
func (lb *LoadBalancer) whole() any {
	type pool struct {
		*Pool
		Members []*Member      `json:"members"`
		Monitor *HealthMonitor `json:"healthmonitor"`
	}
	out := struct {
		*LoadBalancer
		Listeners []*Listener `json:"listeners"`
		Pools     []pool      `json:"pools"`
	}{lb, append([]*Listener{}, lb.listeners...), []pool{}}
	for _, p := range lb.pools {
		out.Pools = append(out.Pools, pool{p, append([]*Member{}, p.members...), p.monitor})
	}
	return out
}
