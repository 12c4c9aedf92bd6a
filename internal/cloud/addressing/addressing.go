// Package addressing checks addresses in manifests: whether a subnet contains an address, which objects claim it, and
// whether a router connects it with an external network. Its functions are pure. They do not depend on the kinds that call
// them, nor on a service.
package addressing

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Outside returns the message that the address in a field does not belong to a subnet. It returns "" if the address
// belongs to it, or if that is unknown.
func Outside(field, address string, subnet kind.Ref) string {
	network, noNetwork := netip.ParsePrefix(subnet.Expected().CIDR)
	asked, noAddress := netip.ParseAddr(address)
	if noNetwork != nil || noAddress != nil || network.Contains(asked.Unmap()) {
		return ""
	}
	return fmt.Sprintf("%s: %s is not in %s, the addresses of Subnet %s; choose one of them", field, asked, network, subnet.Name)
}

// Nowhere returns the message that no subnet of a network contains the address in a field. It returns "" if one of them
// contains it. It also returns "" if others may have added subnets to the network, because those subnets are unknown.
func Nowhere(field, address string, network kind.Ref, subnets []kind.Ref) string {
	if address == "" || len(subnets) == 0 || network.ID == "" && !network.Managed {
		return ""
	}
	if network.ID != "" && !network.Replacing {
		for _, id := range network.Facts.Subnets {
			if !slices.ContainsFunc(subnets, func(s kind.Ref) bool { return s.ID == id }) {
				return ""
			}
		}
	}
	var all []string
	for _, s := range subnets {
		cidr := s.Expected().CIDR
		if cidr == "" || Outside(field, address, s) == "" {
			return ""
		}
		all = append(all, fmt.Sprintf("Subnet %s: %s", s.Name, cidr))
	}
	return fmt.Sprintf("%s: %s is in no subnet of Network %s (%s); choose an address of one of them", field, address, network.Name, strings.Join(all, ", "))
}

// Claim returns a claim on the address in a field for each subnet that contains it, because a subnet gives each address to
// only one port.
func Claim(field, address string, subnets ...kind.Ref) (claims []kind.Claim) {
	asked, err := netip.ParseAddr(address)
	if err != nil {
		return nil
	}
	for _, s := range subnets {
		if network, err := netip.ParsePrefix(s.Expected().CIDR); err == nil && network.Contains(asked.Unmap()) {
			claims = append(claims, kind.Claim{Field: field, Owner: s, Value: table.IP(address), HolderKind: "Port"})
		}
	}
	return claims
}

// Lacks returns the message that a port does not have an address. It returns "" if the port has it, or if the port's
// addresses are unknown. The cloud gives a new port IPv6 addresses that no manifest names.
func Lacks(address string, port kind.Ref) string {
	if port.ID == "" || port.Replacing {
		if ip, err := netip.ParseAddr(address); err != nil || ip.Unmap().Is6() {
			return ""
		}
	}
	has := port.Expected().Addresses
	if address == "" || len(has) == 0 || slices.ContainsFunc(has, func(ip string) bool { return table.IP(ip) == table.IP(address) }) {
		return ""
	}
	return fmt.Sprintf("%s is not an address of Port %s, which has %s; choose one of them", address, port.Name, strings.Join(has, ", "))
}

// Subnets are references to several subnets.
func Subnets(w kind.Want, names []string) (refs []kind.Ref) {
	for _, name := range names {
		refs = append(refs, w.Ref("Subnet", name))
	}
	return refs
}
