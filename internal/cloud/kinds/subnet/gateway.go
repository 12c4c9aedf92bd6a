package subnet

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// stated are the pools of addresses and the gateway. If the manifest names no gateway, it is the gateway that
// Neutron chooses.
func stated(s *Spec) kind.Facts {
	pools := s.AllocationPools
	if len(pools) == 0 {
		pools = usualPools(s.CIDR, firstGateway(s))
	}
	return kind.Facts{CIDR: s.CIDR, GatewayIP: firstGateway(s), Pools: counted(pools)}
}

// firstGateway is the gateway that a new subnet gets; "" if it gets none, or while the addresses of the subnet
// are unknown.
func firstGateway(s *Spec) string {
	asked := Spec{CIDR: s.CIDR, Gateway: s.Gateway}
	if asked.Gateway == nil {
		asked.Gateway = &Gateway{Type: "Automatic"}
	}
	if s.CIDR == "" && asked.Gateway.Type != "IP" {
		return ""
	}
	return gateway(&asked, nil)
}

// impossible returns a reason if a pool contains the gateway that Neutron chooses. If the manifest names the
// gateway, validate has already checked it.
func impossible(w typed.Want[Spec]) string {
	at := address(firstGateway(w.Spec))
	for i, p := range w.Spec.AllocationPools {
		if p.has(at) {
			return fmt.Sprintf("spec.resource.allocationPools[%d]: %s has %s, which becomes the gateway because gateway gives no other address; remove this address from the pool, or give another gateway", i, p, table.IP(at.String()))
		}
	}
	return ""
}
