package neutron

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

func (n *Neutron) updatePort(c *oslo.Call, p *Port, v oslo.Values) error {
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
	if err := n.usableQoS(c.Caller, v, p.QoSPolicyID); err != nil {
		return err
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
	oslo.Take(v, "name", &changed.Name)
	oslo.Take(v, "admin_state_up", &changed.AdminStateUp)
	oslo.Take(v, "device_id", &changed.DeviceID)
	oslo.Take(v, "device_owner", &changed.DeviceOwner)
	changed.DHCPOptions = mergeDHCPOptions(p.DHCPOptions, v)
	oslo.TakePtr(v, "qos_policy_id", &changed.QoSPolicyID)
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

// readdress returns the new addresses of a port. The port keeps the old addresses that the request repeats, and
// those that it derives from its MAC address (db/ipam_backend_mixin.py: _get_changed_ips_for_port).
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

// deletePort mirrors db/l3_db.py: prevent_l3_port_deletion, and then deletes the port.
func (n *Neutron) deletePort(_ *oslo.Call, p *Port) error {
	if routerOwner(p.DeviceOwner) || p.DeviceOwner == ownerFloatingIP {
		return conflict("ServicePortInUse", "Port %s cannot be deleted directly via the port API: has device owner %s.", p.ID, p.DeviceOwner)
	}
	if err := n.heldByTrunk(p.ID); err != nil {
		return err
	}
	n.dropPort(p)
	for _, f := range n.portGone {
		f(p)
	}
	return nil
}

// dropPort removes a port without checks.
func (n *Neutron) dropPort(p *Port) {
	n.release(p)
	n.dropForwardings(p.ID)
	for r := range n.routers.store.All() {
		r.interfaces = slices.DeleteFunc(r.interfaces, func(id string) bool { return id == p.ID })
	}
	n.ports.store.Remove(p.ID)
	delete(n.macs, keyOf(p.NetworkID, p.MAC))
	n.unindex(p)
}
