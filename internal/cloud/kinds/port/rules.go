package port

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// findSubnets adds no object to the expansion. It sets SubnetRefs to the subnets from which the cloud can choose an
// address.
func findSubnets(s *Spec, e *kind.Expansion) {
	if slices.ContainsFunc(s.Addresses, func(a Address) bool { return a.SubnetRef == "" }) {
		s.SubnetRefs = e.Referring("Subnet", "Network", s.NetworkRef)
	}
}

// reserved are the attributes that valueSpecs must not set: they hold the owner mark, or have a field in Spec.
const reserved = " name description tags network_id project_id tenant_id device_id device_owner fixed_ips security_groups " +
	"allowed_address_pairs admin_state_up mac_address port_security_enabled binding:vnic_type binding:host_id trusted propagate_uplink_status qos_policy_id dns_name dns_domain "

func validate(s *Spec, r *kind.Report) {
	const remove = "remove one of the two"
	if s.PortSecurity == "Disabled" && len(s.SecurityGroupRefs) > 0 {
		r.Problem("spec.resource.securityGroupRefs", "is given although portSecurity is Disabled", remove)
	}
	if s.DefaultSecurityGroup && s.SecurityGroupRefs != nil {
		r.Problem("spec.resource.defaultSecurityGroup", "is given together with securityGroupRefs", remove)
	}
	if s.PortSecurity == "Disabled" && len(s.AllowedAddressPairs) > 0 {
		r.Problem("spec.resource.allowedAddressPairs", "is given although portSecurity is Disabled", remove)
	}
	for i, pair := range s.AllowedAddressPairs {
		_, noAddress := netip.ParseAddr(pair.IP)
		if _, noNetwork := netip.ParsePrefix(pair.IP); noAddress != nil && noNetwork != nil {
			r.Problem(fmt.Sprintf("spec.resource.allowedAddressPairs[%d].ip", i), "is neither an IP address nor a network", "write e.g. 10.0.0.7 or 10.0.0.0/24")
		}
		if a, err := netip.ParseAddr(strings.Split(pair.IP, "/")[0]); err == nil && a.IsMulticast() {
			r.Note(fmt.Sprintf("spec.resource.allowedAddressPairs[%d].ip", i), "is a multicast address: Neutron refuses such pairs since 2026, and packets to this address need no pair")
		}
	}
	for i, a := range s.Addresses {
		if a == (Address{}) && len(s.Addresses) > 1 {
			r.Problem(fmt.Sprintf("spec.resource.addresses[%d]", i), "lets the cloud choose an address, but other addresses are given, too", "name its subnet")
		}
	}
	given := map[string]bool{}
	for i, v := range s.ValueSpecs {
		if given[v.Key] {
			r.Problem(fmt.Sprintf("spec.resource.valueSpecs[%d].key", i), "is given twice", "keep one of the two")
		}
		given[v.Key] = true
		if strings.Contains(reserved, " "+v.Key+" ") {
			r.Problem(fmt.Sprintf("spec.resource.valueSpecs[%d].key", i), "is "+v.Key+", which valueSpecs cannot set", "use the field for this attribute, if there is one")
		}
	}
}

// anyAddress reports whether the cloud may choose an address from all subnets.
func (s *Spec) anyAddress() bool { return len(s.Addresses) == 1 && s.Addresses[0] == Address{} }

// compareAddresses compares the addresses of the manifest with the addresses of the port. An element without an address
// accepts any address of its subnet. Addresses that Neutron adds for SLAAC, on subnets where machines configure their own
// addresses, are no difference. Nothing is compared while a subnet is not ready.
func compareAddresses(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if w.Spec.anyAddress() && len(have.Spec.Addresses) > 0 {
		return
	}
	left, same, want := slices.Clone(have.Spec.Addresses), true, []string(nil)
	for _, exact := range []bool{true, false} {
		for _, a := range w.Spec.Addresses {
			if (a.IP != nil) != exact {
				continue
			}
			subnet := w.Ref("Subnet", a.SubnetRef)
			if subnet.Name != "" && !subnet.Ready {
				return
			}
			want = append(want, token(subnet.ID, table.Or(a.IP, "any")))
			i := slices.IndexFunc(left, func(b Address) bool {
				return (subnet.ID == "" || subnet.ID == b.SubnetRef) && (a.IP == nil || table.IP(*a.IP) == table.IP(table.Or(b.IP, "")))
			})
			if same = same && i >= 0; i >= 0 {
				left = slices.Delete(left, i, i+1)
			}
		}
	}
	surplus := slices.ContainsFunc(left, func(a Address) bool { return !fromMAC(table.Or(a.IP, ""), have.Spec.MACAddress) })
	if !same || surplus {
		c.Add(kind.Change{Field: "spec.resource.addresses", Have: tokens(&have.Spec), Want: want, Disruption: kind.Replace})
	}
}

// tokens are the addresses in the form that kind.ValueToken writes and load balancer members refer to. The subnets in s are
// IDs.
func tokens(s *Spec) []string {
	out := []string{}
	for _, a := range s.Addresses {
		out = append(out, token(a.SubnetRef, table.Or(a.IP, "")))
	}
	return out
}

func token(subnet, address string) string { return kind.ValueToken(subnet, table.IP(address)) }

// fromMAC reports whether an IPv6 address was made from the MAC address
// (RFC 4291, modified EUI-64).
func fromMAC(address, mac string) bool {
	ip, err := netip.ParseAddr(address)
	hw, macErr := net.ParseMAC(mac)
	if err != nil || macErr != nil || !ip.Is6() || len(hw) != 6 {
		return false
	}
	low := ip.As16()
	return [8]byte(low[8:]) == [8]byte{hw[0] ^ 2, hw[1], hw[2], 0xff, 0xfe, hw[3], hw[4], hw[5]}
}

// comparePairs uses the port's own MAC address for a pair without one.
func comparePairs(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	texts := func(pairs []AddressPair) (out []string) {
		for _, p := range pairs {
			text := table.IP(p.IP)
			if network, err := netip.ParsePrefix(p.IP); err == nil {
				text = network.String()
			}
			out = append(out, text+" "+strings.ToLower(cmp.Or(table.Or(p.MAC, ""), have.Spec.MACAddress)))
		}
		return out
	}
	kind.Set(c, "spec.resource.allowedAddressPairs", texts(have.Spec.AllowedAddressPairs), texts(w.Spec.AllowedAddressPairs), kind.InPlace)
}

func compareGroups(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	var want []string
	for _, name := range w.Spec.SecurityGroupRefs {
		want = append(want, table.ID(w.Ref("SecurityGroup", name)))
	}
	if !w.Spec.DefaultSecurityGroup {
		kind.Set(c, "spec.resource.securityGroupRefs", have.Spec.SecurityGroupRefs, want, kind.InPlace)
	}
}

// portSecurity maps the words of the manifest to Neutron's values. With any other word, the network's setting applies.
var portSecurity = map[string]bool{"Enabled": true, "Disabled": false}

func comparePortSecurity(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if on, asked := portSecurity[w.Spec.PortSecurity]; asked {
		kind.Field(c, "spec.resource.portSecurity", table.Or(have.More.PortSecurityEnabled, true), on)
	}
}

// writePortSecurity removes the security groups and address pairs of a port when its security is switched off:
// Neutron refuses to switch it off while the port has any.
func writePortSecurity(w typed.Want[Spec], _ *table.Object[Spec, More], body map[string]any) {
	on, asked := portSecurity[w.Spec.PortSecurity]
	if asked {
		body["port_security_enabled"] = on
	}
	if asked && !on {
		body["security_groups"], body["allowed_address_pairs"] = []string{}, []string{}
	}
}

// host returns the host on which the port must be, or "" if it is unknown or not set. hidden is the Server whose host the
// cloud does not show, or "".
func host(w typed.Want[Spec]) (id, hidden string) {
	h := table.Or(w.Spec.HostID, HostID{})
	server := w.Ref("Server", table.Or(h.ServerRef, ""))
	if id = table.Or(h.ID, server.Facts.Host); id == "" && server.Ready {
		hidden = server.Name
	}
	return id, hidden
}

func compareHost(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	id, hidden := host(w)
	if hidden != "" {
		c.Note("spec.resource.hostID.serverRef", "it is not compared: the cloud does not show this user the host of Server "+hidden)
	}
	if shown := have.Spec.HostID; id != "" && shown != nil && have.More.DeviceID == "" {
		kind.Fixed(c, "spec.resource.hostID", table.Or(shown.ID, ""), id)
	}
}

func writeHost(w typed.Want[Spec], _ *table.Object[Spec, More], body map[string]any) {
	if id, _ := host(w); id != "" {
		body["binding:host_id"] = id
	}
}

// export omits ports that belong to a service of the cloud. It also omits values that the cloud chose for a port: the MAC
// address, the host, and the addresses that machines derive from the MAC address. A nameless port of a server is deleted
// with the server, so it is omitted unless the user chose it for the export.
func export(s *state, spec *Spec, e *kind.Export) {
	switch owner := s.More.DeviceOwner; {
	case owner != "" && !strings.HasPrefix(owner, "compute:"):
		e.LeftOut = "belongs to " + owner
	case owner != "" && s.Name == "" && !e.Chosen:
		e.LeftOut = "belongs to the server " + s.More.DeviceID
	}
	spec.MACAddress, spec.HostID = "", nil
	if !table.Or(s.More.PortSecurityEnabled, true) {
		spec.PortSecurity = "Disabled"
	}
	if !table.Or(spec.PropagateUplinkStatus, false) {
		spec.PropagateUplinkStatus = nil
	}
	spec.Addresses = slices.DeleteFunc(spec.Addresses, func(a Address) bool { return fromMAC(table.Or(a.IP, ""), s.Spec.MACAddress) })
	for i := range spec.AllowedAddressPairs {
		if p := &spec.AllowedAddressPairs[i]; strings.EqualFold(table.Or(p.MAC, ""), s.Spec.MACAddress) {
			p.MAC = nil
		}
	}
	slices.Sort(spec.SecurityGroupRefs)
}
