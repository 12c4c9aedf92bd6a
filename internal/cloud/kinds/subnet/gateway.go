package subnet

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// stated are the addresses and the gateway, which is the one that Neutron chooses where the
// manifest leaves it out.
func stated(s *Spec) kind.Facts {
	pools := s.AllocationPools
	if len(pools) == 0 {
		pools = usualPools(s.CIDR, firstGateway(s))
	}
	return kind.Facts{CIDR: s.CIDR, GatewayIP: firstGateway(s), Pools: counted(pools)}
}

// firstGateway is the gateway of a new subnet; "" for none, or while its addresses are not known.
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

// impossible says which pool has the gateway that Neutron chooses; of one that the manifest gives
// that is said without a cloud.
func impossible(w typed.Want[Spec]) string {
	at := address(firstGateway(w.Spec))
	for i, p := range w.Spec.AllocationPools {
		if p.has(at) {
			return fmt.Sprintf("spec.resource.allocationPools[%d]: %s has %s, which becomes the gateway as gateway gives no other; leave it out of the pool, or give another gateway", i, p, table.IP(at.String()))
		}
	}
	return ""
}
