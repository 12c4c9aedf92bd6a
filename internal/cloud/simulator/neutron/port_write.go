package neutron

import (
	"maps"
	"net/netip"
	"slices"
	"sort"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/simulator/oslo"
)

func (n *Neutron) createPort(c *oslo.Call, v values) (*Port, error) {
	n.ensureDefaultGroup(v.text("project_id"))
	t, err := n.networkFor(c.Caller, v.text("network_id"), "port")
	if err != nil {
		return nil, err
	}
	if err := foreignNetwork(c.Caller, t, v, "create_port"); err != nil {
		return nil, err
	}
	return n.makePort(c.Caller, t, v)
}

// foreignNetwork is etc/policies/port.py: on a network of another project only
// its owner may choose addresses.
func foreignNetwork(c *oslo.Caller, t *Network, v values, action string) error {
	if c.Admin() || t.ProjectID == c.ProjectID {
		return nil
	}
	for _, name := range []string{"mac_address", "port_security_enabled", "allowed_address_pairs"} {
		if v.sent(name) {
			return disallowed(action, name)
		}
	}
	wishes, _ := v["fixed_ips"].([]wish)
	for _, w := range wishes {
		if w.ip != "" {
			return disallowed(action, "fixed_ips:ip_address")
		}
	}
	return nil
}

func (n *Neutron) makePort(c *oslo.Caller, t *Network, v values) (*Port, error) {
	p := &Port{Standard: n.standard(v.text("project_id"), v.text("description")), Name: v.text("name"), NetworkID: t.ID, MAC: v.text("mac_address"),
		AdminStateUp: v.flag("admin_state_up"), Status: "DOWN", DeviceID: v.text("device_id"), DeviceOwner: v.text("device_owner"),
		AddressPairs: []AddressPair{}, SecurityGroups: []string{}, VNICType: v.text("binding:vnic_type"),
		PortSecurity: t.PortSecurity, QoSPolicyID: v.textPtr("qos_policy_id"), QoSNetworkID: t.QoSPolicyID,
		Binding: Binding{Profile: map[string]any{}, VIFType: "unbound", VIFDetails: map[string]any{}}}
	if p.MAC == "" {
		p.MAC = n.newMAC(t.ID)
	} else if _, used := n.macs[keyOf(t.ID, p.MAC)]; used {
		return nil, conflict("MacAddressInUse", "Unable to complete operation for network %s. The mac address %s is in use.", t.ID, p.MAC)
	}
	if strings.HasPrefix(p.DeviceOwner, "network:") {
		p.PortSecurity = false // db/portsecurity_db.py: trusted ports
	}
	wishes, given := v["fixed_ips"].([]wish)
	ips, err := n.addresses(t, wishes, given, p.MAC, nil)
	if err != nil {
		return nil, err
	}
	p.FixedIPs = ips
	if err := n.secure(c, p, v); err != nil {
		return nil, err
	}
	p.DHCPOptions = mergeDHCPOptions(nil, v)
	p.bind(v)
	p.Revision = 1
	n.keep(p)
	return p, nil
}

// secure sets port security, groups and address pairs, which exclude one
// another (plugins/ml2/extensions/port_security.py, db/allowedaddresspairs_db.py).
func (n *Neutron) secure(c *oslo.Caller, p *Port, v values) error {
	take(v, "port_security_enabled", &p.PortSecurity)
	pairs := slices.Clone(p.AddressPairs)
	if asked, ok := v["allowed_address_pairs"].([]AddressPair); ok {
		pairs = slices.Clone(asked)
	}
	if !p.PortSecurity && len(pairs) > 0 {
		return conflict("AddressPairAndPortSecurityRequired", "Port Security must be enabled in order to have allowed address pairs on a port.")
	}
	groups, sent := v["security_groups"].([]string)
	switch {
	case sent:
		for _, id := range groups {
			if err := n.usableGroup(c, p.ProjectID, id); err != nil {
				return err
			}
		}
	case p.Revision > 0:
		groups = p.SecurityGroups
	case p.PortSecurity && !strings.HasPrefix(p.DeviceOwner, "network:"):
		if g := n.defaults[p.ProjectID]; g != nil {
			groups = []string{g.ID}
		}
	}
	if !p.PortSecurity && len(groups) > 0 {
		if p.Revision > 0 && !sent {
			return conflict("PortSecurityPortHasSecurityGroup", "Port has security group associated. Cannot disable port security or IP address until security group is removed.")
		}
		return oslo400("PortSecurityAndIPRequiredForSecurityGroups", "Port security must be enabled and port must have an IP address in order to use security groups.")
	}
	for i := range pairs {
		if pairs[i].MAC == "" {
			pairs[i].MAC = p.MAC
		}
	}
	sort.Slice(pairs, func(i, j int) bool {
		return pairs[i].MAC+pairs[i].IP < pairs[j].MAC+pairs[j].IP
	})
	p.AddressPairs = append([]AddressPair{}, pairs...)
	p.SecurityGroups = append([]string{}, groups...)
	return nil
}

// bind takes what an admin says of the binding; a port bound to any host is
// plugged in there, as with a driver that has no agents.
func (p *Port) bind(v values) {
	take(v, "binding:vnic_type", &p.VNICType)
	if profile, ok := v["binding:profile"].(map[string]any); ok {
		p.Binding.Profile = maps.Clone(profile)
	}
	host, sent := v["binding:host_id"]
	if !sent {
		return
	}
	if p.Binding.Host, _ = host.(string); p.Binding.Host != "" {
		p.Binding.VIFType, p.Binding.VIFDetails = "ovs", map[string]any{"port_filter": true}
		p.Status = "ACTIVE"
	} else {
		p.Binding.VIFType, p.Binding.VIFDetails, p.Status = "unbound", map[string]any{}, "DOWN"
	}
}

// keyOf is what must be unique; case does not count in Neutron's database.
func keyOf(network, mac string) macKey { return macKey{network, strings.ToLower(mac)} }

// keep stores a port and indexes it.
func (n *Neutron) keep(p *Port) {
	n.portSeq++
	p.seq = n.portSeq
	n.ports.store.Add(p)
	n.macs[keyOf(p.NetworkID, p.MAC)] = p.ID
	n.index(p)
}

func (n *Neutron) index(p *Port) {
	for _, f := range p.FixedIPs {
		n.taken[f.SubnetID][netip.MustParseAddr(f.IP)] = p.ID
	}
	if p.DeviceID != "" {
		if n.byDevice[p.DeviceID] == nil {
			n.byDevice[p.DeviceID] = map[string]*Port{}
		}
		n.byDevice[p.DeviceID][p.ID] = p
	}
}

func (n *Neutron) unindex(p *Port) {
	for _, f := range p.FixedIPs {
		delete(n.taken[f.SubnetID], netip.MustParseAddr(f.IP))
	}
	delete(n.byDevice[p.DeviceID], p.ID)
	if len(n.byDevice[p.DeviceID]) == 0 {
		delete(n.byDevice, p.DeviceID)
	}
}

func (n *Neutron) updatePort(c *oslo.Call, p *Port, v values) error {
	t, _ := n.networks.store.Get(p.NetworkID)
	if err := foreignNetwork(c.Caller, t, v, "update_port"); err != nil {
		return err
	}
	changed := *p
	if m, ok := v["mac_address"].(string); ok && m != p.MAC {
		if _, used := n.macs[keyOf(t.ID, m)]; used {
			return conflict("MacAddressInUse", "Unable to complete operation for network %s. The mac address %s is in use.", t.ID, m)
		}
		if p.Binding.Host != "" {
			return conflict("PortBound", "Unable to complete operation on port %s, port is already bound, port type: %s, old_mac %s, new_mac %s.", p.ID, p.Binding.VIFType, p.MAC, m)
		}
		changed.MAC = m
	}
	if err := n.secure(c.Caller, &changed, v); err != nil {
		return err
	}
	if wishes, sent := v["fixed_ips"].([]wish); sent {
		if routerOwner(p.DeviceOwner) && p.DeviceID != "" {
			return oslo400("BadRequest", "Bad ports request: IP updates for port %s are not allowed.", p.ID)
		}
		ips, err := n.readdress(t, p, wishes, changed.MAC)
		if err != nil {
			return err
		}
		changed.FixedIPs = ips
	}
	take(v, "name", &changed.Name)
	take(v, "admin_state_up", &changed.AdminStateUp)
	take(v, "device_id", &changed.DeviceID)
	take(v, "device_owner", &changed.DeviceOwner)
	changed.DHCPOptions = mergeDHCPOptions(p.DHCPOptions, v)
	takePtr(v, "qos_policy_id", &changed.QoSPolicyID)
	changed.bind(v)
	n.replace(p, changed)
	return nil
}

func (n *Neutron) replace(p *Port, changed Port) {
	n.unindex(p)
	delete(n.macs, keyOf(p.NetworkID, p.MAC))
	*p = changed
	n.macs[keyOf(p.NetworkID, p.MAC)] = p.ID
	n.index(p)
}

// readdress keeps the addresses that are asked for again and those that the
// port makes up itself (db/ipam_backend_mixin.py: _get_changed_ips_for_port).
func (n *Neutron) readdress(t *Network, p *Port, wishes []wish, mac string) ([]FixedIP, error) {
	var kept []FixedIP
	var fresh []wish
	old := slices.Clone(p.FixedIPs)
	claim := func(fits func(FixedIP) bool) bool {
		i := slices.IndexFunc(old, fits)
		if i < 0 {
			return false
		}
		kept = append(kept, old[i])
		old = slices.Delete(old, i, i+1)
		return true
	}
	var later []wish
	for _, w := range wishes {
		if w.ip == "" {
			later = append(later, w)
		} else if !claim(func(f FixedIP) bool { return f.IP == w.ip && (w.subnet == "" || w.subnet == f.SubnetID) }) {
			fresh = append(fresh, w)
		}
	}
	for _, w := range later {
		if !claim(func(f FixedIP) bool { return f.SubnetID == w.subnet }) {
			fresh = append(fresh, w)
		}
	}
	for _, f := range slices.Clone(old) {
		if s, ok := n.subnets.store.Get(f.SubnetID); ok && s.auto() && !routerOwner(p.DeviceOwner) {
			kept = append(kept, f)
		}
	}
	if len(fresh) == 0 {
		return orNone(kept), nil
	}
	return n.addresses(t, fresh, true, mac, kept)
}

// deletePort is db/l3_db.py: prevent_l3_port_deletion, then the deletion.
func (n *Neutron) deletePort(_ *oslo.Call, p *Port) error {
	if routerOwner(p.DeviceOwner) || p.DeviceOwner == ownerFloatingIP {
		return conflict("ServicePortInUse", "Port %s cannot be deleted directly via the port API: has device owner %s.", p.ID, p.DeviceOwner)
	}
	n.dropPort(p)
	for _, f := range n.portGone {
		f(p)
	}
	return nil
}

// dropPort removes a port whatever it is.
func (n *Neutron) dropPort(p *Port) {
	n.release(p)
	for r := range n.routers.store.All() {
		r.interfaces = slices.DeleteFunc(r.interfaces, func(id string) bool { return id == p.ID })
	}
	n.ports.store.Remove(p.ID)
	delete(n.macs, keyOf(p.NetworkID, p.MAC))
	n.unindex(p)
}
