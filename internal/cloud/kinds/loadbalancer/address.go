package loadbalancer

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/addressing"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Impossible implements [typed.Kind]. It returns a reason if an address is outside its subnet, or outside all subnets of
// its network.
func (rules) Impossible(w typed.Want[Spec]) string {
	for i, vip := range w.Spec.AdditionalVIPs {
		if why := addressing.Outside(vipField(i), table.Or(vip.Address, ""), w.Ref("Subnet", vip.SubnetRef)); why != "" {
			return why
		}
	}
	return addressing.Nowhere(addressField, table.Or(w.Spec.VIPAddress, ""), w.Ref("Network", w.Spec.NetworkRef), addressing.Subnets(w.Want, w.Spec.SubnetRefs))
}

// ExclusiveClaims implements [typed.Kind].
func (rules) ExclusiveClaims(w typed.Want[Spec]) []kind.Claim {
	claims := addressing.Claim(addressField, table.Or(w.Spec.VIPAddress, ""), addressing.Subnets(w.Want, w.Spec.SubnetRefs)...)
	if w.Spec.VIPAddress == nil {
		claims = append(claims, kind.Claim{Field: addressField, Owner: w.Ref("Network", w.Spec.NetworkRef), From: "Subnet", HolderKind: "Port"})
	}
	for i, vip := range w.Spec.AdditionalVIPs {
		claims = append(claims, addressing.Claim(vipField(i), table.Or(vip.Address, ""), w.Ref("Subnet", vip.SubnetRef))...)
		if vip.Address == nil {
			claims = append(claims, kind.Claim{Field: vipField(i), Owner: w.Ref("Subnet", vip.SubnetRef), HolderKind: "Port"})
		}
	}
	return claims
}

const addressField = "spec.vipAddress"

func vipField(i int) string { return fmt.Sprintf("spec.additionalVIPs[%d].address", i) }
