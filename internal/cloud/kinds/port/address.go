package port

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/addressing"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// impossible returns a reason if an address is outside the subnet that the manifest names for it.
func impossible(w typed.Want[Spec]) string {
	for i, a := range w.Spec.Addresses {
		field, ip := addressField(i), table.Or(a.IP, "")
		why := addressing.Outside(field, ip, w.Ref("Subnet", a.SubnetRef))
		if a.SubnetRef == "" {
			why = addressing.Nowhere(field, ip, w.Ref("Network", w.Spec.NetworkRef), addressing.Subnets(w.Want, w.Spec.SubnetRefs))
		}
		if why != "" {
			return why
		}
	}
	return ""
}

// exclusiveClaims claims each IP address in the manifest's list of addresses, and a free one for each element without an IP address.
func exclusiveClaims(w typed.Want[Spec]) (claims []kind.Claim) {
	for i, a := range w.Spec.Addresses {
		switch {
		case a.IP != nil:
		case a.SubnetRef != "":
			claims = append(claims, kind.Claim{Field: addressField(i), Owner: w.Ref("Subnet", a.SubnetRef), HolderKind: "Port"})
		default:
			claims = append(claims, kind.Claim{Field: addressField(i), Owner: w.Ref("Network", w.Spec.NetworkRef), From: "Subnet", HolderKind: "Port"})
		}
		names := []string{a.SubnetRef}
		if a.SubnetRef == "" {
			names = w.Spec.SubnetRefs
		}
		if a.IP != nil {
			claims = append(claims, addressing.Claim(addressField(i), *a.IP, addressing.Subnets(w.Want, names)...)...)
		}
	}
	return claims
}

func addressField(i int) string { return fmt.Sprintf("spec.resource.addresses[%d].ip", i) }

// stated are the addresses, if the manifest names all of them.
func stated(s *Spec) (f kind.Facts) {
	if slices.ContainsFunc(s.Addresses, func(a Address) bool { return a.IP == nil }) {
		return f
	}
	for _, a := range s.Addresses {
		f.Addresses = append(f.Addresses, *a.IP)
	}
	return f
}

// roles give the purpose of the cloud's own ports, by the prefix of their device_owner (neutron-lib constants.py).
var roles = []struct{ owner, role string }{
	{"network:dhcp", "the network's DHCP server"},
	{"network:distributed", "the network's DHCP and metadata server"},
	{"network:router_gateway", "the gateway of router"},
	{"network:", "of router"},
	{"compute:", "of server"},
	{"Octavia", "of a load balancer"},
}

// role is a text that names the user of a port, such as a router or a server. It is "" if roles does not have the port's device_owner.
func role(m More) string {
	for _, r := range roles {
		switch {
		case !strings.HasPrefix(m.DeviceOwner, r.owner):
		case strings.HasPrefix(r.owner, "network:d") || r.owner == "Octavia":
			return r.role
		default:
			return r.role + " " + printable.Name(cmp.Or(m.DeviceID, "?"))
		}
	}
	return ""
}

// madeFor is the ID of the server, load balancer or router with which a port is deleted. The port of a router's
// interface is not deleted with the router.
func madeFor(m More) string {
	if id, vip := strings.CutPrefix(m.DeviceID, "lb-"); vip { // octavia/network/drivers/neutron/allowed_address_pairs.py
		return id
	}
	if strings.HasPrefix(m.DeviceOwner, "compute:") || m.DeviceOwner == "network:router_gateway" {
		return m.DeviceID
	}
	return ""
}
