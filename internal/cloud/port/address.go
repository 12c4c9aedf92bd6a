package port

import (
	"fmt"
	"net/netip"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// impossible says which address is not one of the subnet that it is to be from.
func impossible(w kind.Want[Spec]) string {
	for i, a := range w.Spec.Addresses {
		subnet := w.Ref("Subnet", a.SubnetRef)
		network, noNetwork := netip.ParsePrefix(subnet.Facts.CIDR)
		address, noAddress := netip.ParseAddr(table.Or(a.IP, ""))
		if noNetwork == nil && noAddress == nil && !network.Contains(address.Unmap()) {
			return fmt.Sprintf("spec.resource.addresses[%d].ip: %s is not in %s, the addresses of Subnet %s; choose one of them", i, address, network, subnet.Name)
		}
	}
	return ""
}

// alone are the addresses that are asked for: a subnet gives each to one port.
func alone(w kind.Want[Spec]) map[string]string {
	tokens := map[string]string{}
	for i, a := range w.Spec.Addresses {
		if subnet := w.Ref("Subnet", a.SubnetRef); a.IP != nil && subnet.ID != "" {
			tokens[token(subnet.ID, *a.IP)] = fmt.Sprintf("spec.resource.addresses[%d].ip: %s", i, table.IP(*a.IP))
		}
	}
	return tokens
}
