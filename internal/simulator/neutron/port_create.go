package neutron

import (
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"sort"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

func (n *Neutron) createPort(c *oslo.Call, v oslo.Values) (*Port, error) {
	n.ensureDefaultGroup(v.Text("project_id"))
	t, err := n.networkFor(c.Caller, v.Text("network_id"), "port")
	if err != nil {
		return nil, err
	}
	if err := foreignNetwork(c.Caller, t, v, "create_port"); err != nil {
		return nil, err
	}
	if err := n.usableQoS(c.Caller, v, nil); err != nil {
		return nil, err
	}
	return n.makePort(c.Caller, t, v)
}

// foreignNetwork mirrors etc/policies/port.py: on a network of another project,
// only that project and admins may set addresses, owners and port security.
func foreignNetwork(c *oslo.Caller, t *Network, v oslo.Values, action string) error {
	if c.Admin() || t.ProjectID == c.ProjectID {
		return nil
	}
	if strings.HasPrefix(v.Text("device_owner"), "network:") {
		return disallowed(action, "device_owner")
	}
	for _, name := range []string{"mac_address", "port_security_enabled"} {
		if v.Sent(name) {
			return disallowed(action, name)
		}
	}
	if pairs, _ := v["allowed_address_pairs"].([]AddressPair); len(pairs) > 0 {
		return disallowedParts(action, "allowed_address_pairs", "ip_address")
	} else if v.Sent("allowed_address_pairs") {
		return disallowed(action, "allowed_address_pairs")
	}
	wishes, sent := v["fixed_ips"].([]wish)
	if sent && len(wishes) == 0 {
		return disallowed(action, "fixed_ips")
	}
	for _, w := range wishes {
		switch {
		case w.ip != "" && w.subnet != "":
			return disallowedParts(action, "fixed_ips", "subnet_id", "ip_address")
		case w.ip != "":
			return disallowedParts(action, "fixed_ips", "ip_address")
		}
	}
	return nil
}

// disallowedParts returns the error for parts of one attribute that the caller must not write.
func disallowedParts(action, attr string, parts ...string) error {
	for i, p := range parts {
		parts[i] = "rule:" + action + ":" + attr + ":" + p
	}
	return oslo.Errorf(http.StatusForbidden, "PolicyNotAuthorized", "(rule:%s and (rule:%s:%s and (%s))) is disallowed by policy", action, action, attr, strings.Join(parts, " and "))
}

func (n *Neutron) makePort(c *oslo.Caller, t *Network, v oslo.Values) (*Port, error) {
	p := &Port{Standard: n.standard(v.Text("project_id"), v.Text("description")), Name: v.Text("name"), NetworkID: t.ID, MAC: v.Text("mac_address"),
		AdminStateUp: v.Flag("admin_state_up"), Status: "DOWN", DeviceID: v.Text("device_id"), DeviceOwner: v.Text("device_owner"),
		AddressPairs: []AddressPair{}, SecurityGroups: []string{}, VNICType: v.Text("binding:vnic_type"),
		PortSecurity: t.PortSecurity, QoSPolicyID: v.TextPtr("qos_policy_id"), QoSNetworkID: t.QoSPolicyID,
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
	if routerOwner(p.DeviceOwner) {
		wishes = slices.Clone(wishes)
		for i := range wishes {
			wishes[i].gateway = true // db/ipam_backend_mixin.py: is_router_port
		}
	}
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

// secure sets port security, groups and address pairs, and checks that they do not
// contradict each other (plugins/ml2/extensions/port_security.py,
// db/allowedaddresspairs_db.py).
func (n *Neutron) secure(c *oslo.Caller, p *Port, v oslo.Values) error {
	oslo.Take(v, "port_security_enabled", &p.PortSecurity)
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

// bind stores the binding that an admin sets. A port that is bound to a host
// becomes ACTIVE, as with a driver that has no agents.
func (p *Port) bind(v oslo.Values) {
	oslo.Take(v, "binding:vnic_type", &p.VNICType)
	if profile, ok := v["binding:profile"].(map[string]any); ok {
		p.Binding.Profile = maps.Clone(profile)
	}
	host, sent := v["binding:host_id"]
	if !sent {
		return
	}
	if p.Binding.Host, _ = host.(string); p.Binding.Host != "" {
		p.Binding.VIFType, p.Binding.VIFDetails = "ovs", map[string]any{"port_filter": true, "connectivity": "l2", "bound_drivers": map[string]string{"0": "openvswitch"}}
		p.Status = "ACTIVE"
	} else {
		p.Binding.VIFType, p.Binding.VIFDetails, p.Status = "unbound", map[string]any{}, "DOWN"
	}
}

// keyOf returns the unique key of a port. Neutron's database ignores the case of a MAC address.
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
