package subnet

import (
	"fmt"
	"net/netip"

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

func compareGateway(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if w.Spec.Gateway != nil {
		kind.Field(c, "spec.resource.gateway", table.IP(have.More.GatewayIP), table.IP(gateway(w.Spec, have)))
	}
}

// writeGateway writes the gateway as Neutron expects it: null for none. If a new subnet has an automatic
// gateway, writeGateway writes nothing, so the cloud chooses one.
func writeGateway(w typed.Want[Spec], have *table.Object[Spec, More], body map[string]any) {
	if w.Spec.Gateway == nil || have == nil && w.Spec.Gateway.Type == "Automatic" {
		return
	}
	body["gateway_ip"] = nil
	if ip := gateway(w.Spec, have); ip != "" {
		body["gateway_ip"] = ip
	}
}

// gateway returns the address of the gateway that the manifest asks for, or "" if there is none. Automatic is the
// existing gateway. Without one, it is the address that Neutron would choose: the first host of an IPv4
// subnet, and the network address of an IPv6 subnet (neutron/ipam/utils.py: generate_pools).
func gateway(s *Spec, have *table.Object[Spec, More]) string {
	switch {
	case s.Gateway.Type == "IP":
		return *s.Gateway.IP
	case s.Gateway.Type == "None":
		return ""
	case have != nil && have.More.GatewayIP != "":
		return have.More.GatewayIP
	}
	chosen := s.CIDR
	if have != nil && chosen == "" {
		chosen = have.Spec.CIDR
	}
	cidr, err := netip.ParsePrefix(chosen)
	if err == nil && cidr.Addr().Is4() {
		return cidr.Masked().Addr().Next().String()
	}
	return cidr.Masked().Addr().String()
}
