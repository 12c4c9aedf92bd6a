package loadbalancer

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Impossible implements kind.Judge: it says which further address is not one of its subnet. Of
// vipAddress that is not known, since others can put subnets on the network.
func (rules) Impossible(w kind.Want[Spec]) string {
	for i, vip := range w.Spec.AdditionalVIPs {
		if why := define.Outside(fmt.Sprintf("spec.additionalVIPs[%d].address", i), table.Or(vip.Address, ""), w.Ref("Subnet", vip.SubnetRef)); why != "" {
			return why
		}
	}
	return ""
}

// Alone implements kind.Judge.
func (rules) Alone(kind.Want[Spec]) map[string]string { return nil }
