package neutron

import (
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// interfaceRequest is the body of add_router_interface and remove_router_interface.
type interfaceRequest struct{ SubnetID, PortID *string }

func (n *Neutron) interfaceCall(c *oslo.Call, action string) (*Router, interfaceRequest, error) {
	var in interfaceRequest
	var raw map[string]any
	r, err := n.routers.find(c.Caller, c.PathValue("id"))
	if err != nil {
		return nil, in, err
	}
	if !c.Decode(&raw) {
		return nil, in, badRequest("Body contains invalid data")
	}
	for key, to := range map[string]**string{"subnet_id": &in.SubnetID, "port_id": &in.PortID} {
		if v, sent := raw[key]; sent {
			if _, err := uuid(key, v); err != nil {
				return nil, in, badRouter("'%s' is not a valid UUID.", py(v))
			}
			id, _ := v.(string)
			*to = &id
		}
	}
	if !c.Caller.Admin() && r.ProjectID != c.Caller.ProjectID {
		return nil, in, disallowed(action, "")
	}
	if in.SubnetID == nil && in.PortID == nil {
		return nil, in, badRouter("Either subnet_id or port_id must be specified.")
	}
	return r, in, nil
}

func badRouter(format string, args ...any) error {
	return oslo400("BadRequest", "Bad router request: "+format, args...)
}

func interfaceView(r *Router, p *Port, subnet string) *oslo.Response {
	ids := []string{}
	for _, f := range p.FixedIPs {
		ids = append(ids, f.SubnetID)
	}
	if subnet == "" && len(ids) > 0 {
		subnet = ids[len(ids)-1]
	}
	return oslo.OK(map[string]any{"id": r.ID, "tenant_id": r.TenantID, "port_id": p.ID, "network_id": p.NetworkID, "subnet_id": subnet, "subnet_ids": ids})
}

// addInterface mirrors db/l3_db.py: add_router_interface.
func (n *Neutron) addInterface(c *oslo.Call) (*oslo.Response, error) {
	r, in, err := n.interfaceCall(c, "add_router_interface")
	if err != nil {
		return nil, err
	}
	if in.SubnetID != nil && in.PortID != nil {
		return nil, badRouter("Cannot specify both subnet-id and port-id.")
	}
	var p *Port
	if in.PortID != nil {
		p, err = n.addPortInterface(c.Caller, r, *in.PortID)
	} else {
		p, err = n.addSubnetInterface(c.Caller, r, *in.SubnetID)
	}
	if err != nil {
		return nil, err
	}
	p.DeviceOwner, p.Status = ownerInterface, "ACTIVE"
	n.bump(&p.Standard)
	n.bump(&p.Standard) // the revision rises twice: for the owner and for the status
	if !slices.Contains(r.interfaces, p.ID) {
		r.interfaces = append(r.interfaces, p.ID)
	}
	subnet := ""
	if in.SubnetID != nil {
		subnet = *in.SubnetID
		n.bump(&r.Standard)
	}
	return interfaceView(r, p, subnet), nil
}

func (n *Neutron) addPortInterface(c *oslo.Caller, r *Router, id string) (*Port, error) {
	p, err := n.ports.find(c, id)
	if err != nil {
		return nil, err
	}
	if p.DeviceID != "" {
		return nil, conflict("PortInUse", "Unable to complete operation on port %s for network %s. Port already has an attached device %s.", p.ID, p.NetworkID, p.DeviceID)
	}
	if len(p.FixedIPs) == 0 {
		return nil, badRouter("Router port must have at least one fixed IP.")
	}
	var subnets []*Subnet
	for _, f := range p.FixedIPs {
		s, _ := n.subnets.store.Get(f.SubnetID)
		subnets = append(subnets, s)
	}
	if err := n.clashes(r, subnets...); err != nil {
		return nil, err
	}
	changed := *p
	changed.DeviceID = r.ID
	n.replace(p, changed)
	n.bump(&p.Standard)
	return p, nil
}

func (n *Neutron) addSubnetInterface(c *oslo.Caller, r *Router, id string) (*Port, error) {
	s, err := n.subnets.find(c, id)
	if err != nil {
		return nil, err
	}
	if s.GatewayIP == nil {
		return nil, badRouter("Subnet for router interface must have a gateway IP.")
	}
	if err := n.clashes(r, s); err != nil {
		return nil, err
	}
	t, _ := n.networks.store.Get(s.NetworkID)
	want := wish{subnet: s.ID, ip: *s.GatewayIP, gateway: true}
	if p := n.sixInterface(r, s); p != nil {
		f, err := n.grant(t, n.subnetsOf(t), want, p.MAC, nil)
		if err != nil {
			return nil, err
		}
		changed := *p
		changed.FixedIPs = append(slices.Clone(p.FixedIPs), f)
		n.replace(p, changed)
		return p, nil
	}
	if err := n.reserve(r.ProjectID, "port", 1); err != nil {
		return nil, err
	}
	return n.makePort(serviceUser(r.ProjectID), t, oslo.Values{"project_id": r.ProjectID, "fixed_ips": []wish{want}, "admin_state_up": true,
		"device_id": r.ID, "device_owner": ownerInterface, "binding:vnic_type": "normal"})
}

// sixInterface returns the router's port that gets the address of an additional IPv6 subnet of the same network,
// or nil (db/l3_db.py: _add_interface_by_subnet).
func (n *Neutron) sixInterface(r *Router, s *Subnet) *Port {
	if s.IPVersion != 6 {
		return nil
	}
	for _, id := range r.interfaces {
		p, ok := n.ports.store.Get(id)
		if !ok || p.NetworkID != s.NetworkID {
			continue
		}
		for _, f := range p.FixedIPs {
			if other, _ := n.subnets.store.Get(f.SubnetID); other.IPVersion == 6 {
				return p
			}
		}
	}
	return nil
}

// clashes mirrors db/l3_db.py: _check_for_dup_router_subnets.
func (n *Neutron) clashes(r *Router, subnets ...*Subnet) error {
	for _, id := range append(slices.Clone(r.interfaces), r.gatewayPort) {
		p, ok := n.ports.store.Get(id)
		if !ok {
			continue
		}
		for _, f := range p.FixedIPs {
			have, _ := n.subnets.store.Get(f.SubnetID)
			for _, s := range subnets {
				if have.ID == s.ID && id != r.gatewayPort {
					return badRouter("Router already has a port on subnet %s.", s.ID)
				}
				if have.ID != s.ID && have.NetworkID != s.NetworkID && have.prefix.Overlaps(s.prefix) {
					return badRouter("Cidr %s of subnet %s overlaps with cidr %s of subnet %s.", s.CIDR, s.ID, have.CIDR, have.ID)
				}
			}
		}
	}
	return nil
}

// removeInterface mirrors db/l3_db.py: remove_router_interface. The port is deleted,
// even if a user made it.
func (n *Neutron) removeInterface(c *oslo.Call) (*oslo.Response, error) {
	r, in, err := n.interfaceCall(c, "remove_router_interface")
	if err != nil {
		return nil, err
	}
	var p *Port
	subnet := ""
	if in.PortID != nil {
		p, err = n.interfaceByPort(r, *in.PortID, in.SubnetID)
	} else {
		subnet = *in.SubnetID
		p, err = n.interfaceBySubnet(c.Caller, r, subnet)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range p.FixedIPs {
		if subnet != "" && f.SubnetID != subnet {
			continue // this subnet remains connected
		}
		if err := n.interfaceUnused(r, f.SubnetID); err != nil {
			return nil, err
		}
	}
	answer := interfaceView(r, p, subnet)
	n.unplug(r, p, subnet)
	n.bump(&r.Standard)
	return answer, nil
}

// unplug removes the interface. If the port has addresses of several subnets and the
// request names one subnet, only the addresses of that subnet are removed (db/l3_db.py:
// _remove_interface_by_subnet).
func (n *Neutron) unplug(r *Router, p *Port, subnet string) {
	if subnet != "" && len(p.FixedIPs) > 1 {
		changed := *p
		changed.FixedIPs = slices.DeleteFunc(slices.Clone(p.FixedIPs), func(f FixedIP) bool { return f.SubnetID == subnet })
		n.replace(p, changed)
		n.bump(&p.Standard)
		return
	}
	r.interfaces = slices.DeleteFunc(slices.Clone(r.interfaces), func(id string) bool { return id == p.ID })
	n.dropPort(p)
}

func (n *Neutron) interfaceByPort(r *Router, id string, subnet *string) (*Port, error) {
	p, ok := n.ports.store.Get(id)
	if !ok || !slices.Contains(r.interfaces, id) {
		return nil, notFound("RouterInterfaceNotFound", "Router %s does not have an interface with id %s", r.ID, id)
	}
	if subnet != nil && !slices.ContainsFunc(p.FixedIPs, func(f FixedIP) bool { return f.SubnetID == *subnet }) {
		return nil, oslo400("SubnetMismatchForPort", "Subnet on port %s does not match the requested subnet %s.", id, *subnet)
	}
	return p, nil
}

func (n *Neutron) interfaceBySubnet(c *oslo.Caller, r *Router, subnet string) (*Port, error) {
	if _, err := n.subnets.find(c, subnet); err != nil {
		return nil, err
	}
	for _, id := range r.interfaces {
		p, ok := n.ports.store.Get(id)
		if ok && slices.ContainsFunc(p.FixedIPs, func(f FixedIP) bool { return f.SubnetID == subnet }) {
			return p, nil
		}
	}
	return nil, notFound("RouterInterfaceNotFoundForSubnet", "Router %s has no interface on subnet %s", r.ID, subnet)
}

// interfaceUnused mirrors db/l3_db.py: _confirm_router_interface_not_in_use, and
// db/extraroute_db.py for routes.
func (n *Neutron) interfaceUnused(r *Router, subnet string) error {
	s, ok := n.subnets.store.Get(subnet)
	if !ok {
		return nil
	}
	for f := range n.floatingIPs.store.All() {
		if f.RouterID != nil && *f.RouterID == r.ID && f.FixedIP != nil && s.prefix.Contains(netip.MustParseAddr(*f.FixedIP)) {
			return conflict("RouterInterfaceInUseByFloatingIP", "Router interface for subnet %s on router %s cannot be deleted, as it is required by one or more floating IPs.", subnet, r.ID)
		}
	}
	for _, route := range r.Routes {
		if s.prefix.Contains(netip.MustParseAddr(route.NextHop)) {
			return conflict("RouterInterfaceInUseByRoute", "Router interface for subnet %s on router %s cannot be deleted, as it is required by one or more routes.", subnet, r.ID)
		}
	}
	return nil
}
