package neutron

import (
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// FloatingIP is a floating IP as the API shows it.
type FloatingIP struct {
	Standard
	Address   string  `json:"floating_ip_address"`
	NetworkID string  `json:"floating_network_id"`
	RouterID  *string `json:"router_id"`
	PortID    *string `json:"port_id"`
	FixedIP   *string `json:"fixed_ip_address"`
	Status    string  `json:"status"`
	QoSID     *string `json:"qos_policy_id"`
	DNSName   *string `json:"dns_name,omitempty"`
	DNSDomain *string `json:"dns_domain,omitempty"`

	ownPort string // the port on the external network that has the floating address
}

type portDetails struct {
	Name         string `json:"name"`
	NetworkID    string `json:"network_id"`
	MAC          string `json:"mac_address"`
	AdminStateUp bool   `json:"admin_state_up"`
	Status       string `json:"status"`
	DeviceID     string `json:"device_id"`
	DeviceOwner  string `json:"device_owner"`
}

type floatingIPView struct {
	*FloatingIP
	Details    *portDetails  `json:"port_details"`
	Forwarding []*Forwarding `json:"port_forwardings"`
}

func (n *Neutron) addFloatingIPs() {
	n.floatingIPs = &kind[FloatingIP]{n: n, name: "floatingip", path: "floatingips", tagged: true,
		standard: func(f *FloatingIP) *Standard { return &f.Standard },
		visible:  func(*oslo.Caller, *FloatingIP) bool { return false },
		missing: func(id string) *oslo.Error {
			return notFound("FloatingIPNotFound", "Floating IP %s could not be found", id)
		},
		view:   n.viewFloatingIP,
		create: n.createFloatingIP, update: n.updateFloatingIP,
		remove: func(_ *oslo.Call, f *FloatingIP) error { n.dropFloatingIP(f); return nil },
		undo:   n.dropFloatingIP,
	}
	n.floatingIPs.attrs = oslo.Table{
		{Name: "floating_network_id", Filter: true, Create: oslo.Anybody, Required: true, Parse: uuid},
		{Name: "floating_ip_address", Filter: true, Create: oslo.AdminOnly, Parse: orNull(ip)},
		{Name: "subnet_id", Create: oslo.Anybody, Parse: orNull(uuid)},
		{Name: "port_id", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: orNull(uuid)},
		{Name: "fixed_ip_address", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: orNull(ip)},
		{Name: "qos_policy_id", Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Parse: orNull(uuid)},
		{Name: "status", Filter: true}, {Name: "router_id", Filter: true}, {Name: "port_details"}, {Name: "port_forwardings"},
	}
	n.more(&n.floatingIPs.attrs, n.addressDNS("dns_name"), n.addressDNS("dns_domain"))
	n.floatingIPs.register()
}

func (n *Neutron) viewFloatingIP(_ *oslo.Caller, f *FloatingIP) any {
	v := floatingIPView{FloatingIP: f, Forwarding: append([]*Forwarding{}, n.forwardings[f.ID]...)}
	if f.PortID == nil {
		return v
	}
	if p, ok := n.ports.store.Get(*f.PortID); ok {
		v.Details = &portDetails{p.Name, p.NetworkID, p.MAC, p.AdminStateUp, p.Status, p.DeviceID, p.DeviceOwner}
	}
	return v
}

// createFloatingIP mirrors db/l3_db.py: _create_floatingip.
func (n *Neutron) createFloatingIP(c *oslo.Call, v oslo.Values) (*FloatingIP, error) {
	t, err := n.networks.find(c.Caller, v.Text("floating_network_id"))
	if err != nil {
		return nil, err
	}
	if !t.External {
		return nil, badFloating("Network %s is not a valid external network.", t.ID)
	}
	if err := n.usableQoS(c.Caller, v, nil); err != nil {
		return nil, err
	}
	f := &FloatingIP{Standard: n.standard(v.Text("project_id"), v.Text("description")), NetworkID: t.ID, Status: "DOWN", QoSID: v.TextPtr("qos_policy_id")}
	body := oslo.Values{"admin_state_up": true, "device_id": f.ID, "device_owner": ownerFloatingIP, "binding:vnic_type": "normal"}
	if w := (wish{subnet: v.Text("subnet_id"), ip: v.Text("floating_ip_address")}); w != (wish{}) {
		body["fixed_ips"] = []wish{w}
	}
	p, err2 := n.makePort(serviceUser(""), t, body)
	if err2 != nil {
		return nil, err2
	}
	if len(p.FixedIPs) == 0 {
		n.dropPort(p)
		return nil, oslo.Errorf(409, "ExternalIpAddressExhausted", "Unable to find any IP address on external network %s.", t.ID)
	}
	p.Status = "N/A"
	n.bump(&p.Standard)
	f.ownPort, f.Address = p.ID, p.FixedIPs[0].IP
	if err := n.associate(c.Caller, f, v); err != nil {
		n.dropPort(p)
		return nil, err
	}
	n.floatingIPs.store.Add(f)
	return f, nil
}

func badFloating(format string, args ...any) error {
	return oslo400("BadRequest", "Bad floatingip request: "+format, args...)
}

func (n *Neutron) updateFloatingIP(c *oslo.Call, f *FloatingIP, v oslo.Values) error {
	if err := n.usableQoS(c.Caller, v, f.QoSID); err != nil {
		return err
	}
	if v.TextPtr("port_id") != nil && len(n.forwardings[f.ID]) > 0 {
		return conflict("FipInUseByPortForwarding", "Floating IP %s in use by Port Forwarding resources.", f.ID)
	}
	oslo.TakePtr(v, "qos_policy_id", &f.QoSID)
	if v.Text("fixed_ip_address") == "" && !v.Has("port_id") && len(v) > 0 {
		return n.stillClear(c.Caller, f) // a PUT without attributes does not return here, and detaches the port
	}
	bound := f.PortID != nil
	if err := n.associate(c.Caller, f, v); err != nil {
		return err
	}
	if bound && f.PortID == nil {
		n.cloud.After(0, func() { n.bump(&f.Standard) })
	}
	return nil
}

// stillClear returns an error if the port of the floating IP has several addresses. Neutron then refuses every
// update that does not name one of them, even an update of other attributes.
func (n *Neutron) stillClear(c *oslo.Caller, f *FloatingIP) error {
	if f.PortID == nil {
		return nil
	}
	p, err := n.ports.find(c, *f.PortID)
	if err != nil {
		return err
	}
	_, unclear := n.insideAddress(p, "")
	return unclear
}

// associate associates a floating IP with a port, or removes the association
// (db/l3_db.py: _update_fip_assoc, _check_and_get_fip_assoc).
func (n *Neutron) associate(c *oslo.Caller, f *FloatingIP, v oslo.Values) error {
	portID := v.TextPtr("port_id")
	if portID == nil {
		if v.Text("fixed_ip_address") != "" {
			return badFloating("fixed_ip_address cannot be specified without a port_id.")
		}
		n.letGo(f)
		return nil
	}
	p, err := n.ports.find(c, *portID)
	if err != nil {
		return err
	}
	if p.ProjectID != f.ProjectID && !c.Admin() {
		return badFloating("Port %s is associated with a different tenant than Floating IP %s and therefore cannot be bound.", p.ID, f.ID)
	}
	fixed, ferr := n.insideAddress(p, v.Text("fixed_ip_address"))
	if ferr != nil {
		return ferr
	}
	router := n.routerFor(fixed.SubnetID, f.NetworkID)
	if router == nil {
		return notFound("ExternalGatewayForFloatingIPNotFound", "External network %s is not reachable from subnet %s.  Therefore, cannot associate Port %s with a Floating IP.", f.NetworkID, fixed.SubnetID, p.ID)
	}
	for _, other := range n.fipsOn[p.ID] {
		if other != f && *other.FixedIP == fixed.IP && other.NetworkID == f.NetworkID {
			return conflict("FloatingIPPortAlreadyAssociated", "Cannot associate floating IP %s (%s) with port %s using fixed IP %s, as that fixed IP already has a floating IP on external network %s.", f.Address, f.ID, p.ID, fixed.IP, f.NetworkID)
		}
	}
	if f.PortID == nil {
		// The status changes a moment later, which raises the revision.
		n.cloud.After(0, func() { n.bump(&f.Standard) })
	}
	n.letGo(f)
	n.fipsOn[p.ID] = append(n.fipsOn[p.ID], f)
	id, address := p.ID, fixed.IP
	f.PortID, f.FixedIP, f.RouterID, f.Status = &id, &address, &router.ID, "ACTIVE"
	return nil
}

func (n *Neutron) letGo(f *FloatingIP) {
	if f.PortID != nil {
		left := slices.DeleteFunc(slices.Clone(n.fipsOn[*f.PortID]), func(o *FloatingIP) bool { return o == f })
		if n.fipsOn[*f.PortID] = left; len(left) == 0 {
			delete(n.fipsOn, *f.PortID)
		}
	}
	f.PortID, f.FixedIP, f.RouterID, f.Status = nil, nil, nil, "DOWN"
}

// insideAddress mirrors db/l3_db.py: _internal_fip_assoc_data.
func (n *Neutron) insideAddress(p *Port, want string) (FixedIP, error) {
	if want != "" && !netip.MustParseAddr(want).Is4() {
		return FixedIP{}, badFloating("Cannot process floating IP association with %s, since that is not an IPv4 address.", want)
	}
	var four []FixedIP
	for _, f := range p.FixedIPs {
		if f.IP == want {
			return f, nil
		}
		if netip.MustParseAddr(f.IP).Is4() {
			four = append(four, f)
		}
	}
	switch {
	case want != "":
		return FixedIP{}, badFloating("Port %s does not have fixed ip %s.", p.ID, want)
	case len(four) == 0:
		return FixedIP{}, badFloating("Cannot add floating IP to port %s that has no fixed IPv4 addresses.", p.ID)
	case len(four) > 1:
		return FixedIP{}, badFloating("Port %s has multiple fixed IPv4 addresses.  Must provide a specific IPv4 address when assigning a floating IP.", p.ID)
	}
	return four[0], nil
}

// routerFor finds the router between a subnet and an external network. It
// prefers the router that is the subnet's gateway (db/l3_db.py:
// get_router_for_floatingip).
func (n *Neutron) routerFor(subnet, external string) *Router {
	s, _ := n.subnets.store.Get(subnet)
	var found *Router
	for r := range n.routers.store.All() {
		if r.Gateway == nil || r.Gateway.NetworkID != external {
			continue
		}
		for _, id := range r.interfaces {
			p, _ := n.ports.store.Get(id)
			for _, f := range p.FixedIPs {
				if f.SubnetID != subnet {
					continue
				}
				if s.GatewayIP != nil && f.IP == *s.GatewayIP {
					return r
				}
				if found == nil {
					found = r
				}
			}
		}
	}
	return found
}

func (n *Neutron) dropFloatingIP(f *FloatingIP) {
	n.letGo(f)
	delete(n.forwardings, f.ID)
	n.floatingIPs.store.Remove(f.ID)
	if p, ok := n.ports.store.Get(f.ownPort); ok {
		n.dropPort(p)
	}
}

// release removes the associations of floating IPs with a port that is being
// deleted (db/l3_db.py: disassociate_floatingips).
func (n *Neutron) release(p *Port) {
	for _, f := range n.fipsOn[p.ID] {
		n.letGo(f)
		n.bump(&f.Standard)
	}
}

// FloatingIPOf is the floating IP that is associated with one address of a port.
func (n *Neutron) FloatingIPOf(portID, fixedIP string) (*FloatingIP, bool) {
	for _, f := range n.fipsOn[portID] {
		if *f.FixedIP == fixedIP {
			return f, true
		}
	}
	return nil, false
}
