// Package addressing says what manifests tell of addresses: whether a subnet has one, who asks for it, and whether a router
// leads to it. Its functions are pure. It does not know which kinds ask, nor any service.
package addressing

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Outside says of a field that its address is not one of the subnet that it shall be from; "" where it is, or where that
// is not known.
func Outside(field, address string, subnet kind.Ref) string {
	network, noNetwork := netip.ParsePrefix(subnet.Expected().CIDR)
	asked, noAddress := netip.ParseAddr(address)
	if noNetwork != nil || noAddress != nil || network.Contains(asked.Unmap()) {
		return ""
	}
	return fmt.Sprintf("%s: %s is not in %s, the addresses of Subnet %s; choose one of them", field, asked, network, subnet.Name)
}

// Nowhere says of a field that no subnet of a network has its address; "" where one has it. It says "", too, where others
// may have put subnets on the network: nothing is known of those.
func Nowhere(field, address string, network kind.Ref, subnets []kind.Ref) string {
	if address == "" || len(subnets) == 0 || network.ID == "" && !network.Managed {
		return ""
	}
	if network.ID != "" && !network.Anew {
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

// Claim claims an address that a field asks for in those of subnets that have it: a subnet
// gives each to one port.
func Claim(field, address string, subnets ...kind.Ref) (claims []kind.Claim) {
	asked, err := netip.ParseAddr(address)
	if err != nil {
		return nil
	}
	for _, s := range subnets {
		if network, err := netip.ParsePrefix(s.Expected().CIDR); err == nil && network.Contains(asked.Unmap()) {
			claims = append(claims, kind.Claim{Field: field, Of: s, What: table.IP(address), By: "Port"})
		}
	}
	return claims
}

// Lacks says that a port does not have an address; "" where it has it, or where that is not known. The cloud gives a new
// port IPv6 addresses that no manifest names.
func Lacks(address string, port kind.Ref) string {
	if port.ID == "" || port.Anew {
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
