package port

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// impossible says which address is not one of the subnet that it is to be from.
func impossible(w kind.Want[Spec]) string {
	for i, a := range w.Spec.Addresses {
		if why := define.Outside(fmt.Sprintf("spec.resource.addresses[%d].ip", i), table.Or(a.IP, ""), w.Ref("Subnet", a.SubnetRef)); why != "" {
			return why
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
