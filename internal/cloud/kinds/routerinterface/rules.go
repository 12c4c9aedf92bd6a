package routerinterface

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/addressing"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// field is the field that names the subnet.
const field = "spec.subnetRef"

type state = define.State[Spec, More]

// compareRouter reports a change in place if the port is not attached yet. If the port is on another router, it
// must be replaced.
func compareRouter(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	cost := kind.Replace
	if have.Spec.RouterRef == "" {
		cost = kind.InPlace
	}
	kind.Link(c, "spec.routerRef", have.Spec.RouterRef, w.Ref("Router", w.Spec.RouterRef), cost)
}

func compareSubnet(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if subnet, present := w.Ref("Subnet", w.Spec.SubnetRef), have.More.subnets(); subnet.Ready && !slices.Contains(present, subnet.ID) {
		kind.Fixed(c, "spec.subnetRef", strings.Join(present, " "), subnet.ID)
	} else if len(present) > 1 {
		c.Note("spec.subnetRef", "its port connects several subnets ("+strings.Join(present, ", ")+"), so it is not deleted until it connects only one")
	}
}

// subnets are the subnets of the port's addresses, each once.
func (m *More) subnets() (ids []string) {
	for _, ip := range m.FixedIPs {
		if !slices.Contains(ids, ip.SubnetID) {
			ids = append(ids, ip.SubnetID)
		}
	}
	return ids
}

func observe(s *state, live *kind.Live) {
	if s.Spec.RouterRef != "" {
		live.Uses, live.InUse = append(live.Uses, s.Spec.RouterRef), true
	} else if live.Mark != nil && live.Mark.Applied != kind.HalfMade {
		live.Mark.Applied = kind.Unreadable // the port was never attached, because detaching a port deletes it
	}
	live.Uses = append(live.Uses, s.More.subnets()...)
}

func show(s *state, shown table.Shown) {
	var addresses []string
	for _, ip := range s.More.FixedIPs {
		addresses = append(addresses, ip.IP)
	}
	if len(addresses) > 0 {
		shown["subnetIDs"], shown["addresses"] = s.More.subnets(), addresses
	}
}

// export writes a port of several subnets, which IPv6 allows, as an import, because a RouterInterface has exactly one subnet.
func export(s *state, spec *Spec, e *kind.Export) {
	switch subnets := s.More.subnets(); {
	case s.Spec.RouterRef == "" || len(subnets) == 0:
		e.LeftOut = "leads to no router"
	case len(subnets) > 1:
		e.ImportOnly = "cannot be adopted, because one port connects several subnets: " + strings.Join(subnets, ", ")
	default:
		spec.Type, spec.SubnetRef = "Subnet", subnets[0]
	}
}

// exclusiveClaims claims three things:
//   - the interface, because a router has only one interface to each subnet
//   - the addresses of the subnet on the router, because its other subnets must not overlap (db/l3_db.py: _check_for_dup_router_subnets)
//   - the subnet's gateway address, which the router gets, unless the manifest is about to change it
func exclusiveClaims(w typed.Want[Spec]) []kind.Claim {
	subnet := w.Ref("Subnet", w.Spec.SubnetRef)
	expected, stated := table.IP(subnet.Expected().GatewayIP), table.IP(subnet.Stated().GatewayIP)
	claims := []kind.Claim{{Field: field, Owner: w.Ref("Router", w.Spec.RouterRef), Value: "the interface to Subnet " + w.Spec.SubnetRef, HolderKind: "RouterInterface", Remedy: "remove one of the two"}}
	if leads := subnet.Expected().CIDR; leads != "" {
		claims = append(claims, kind.Claim{Field: field, Owner: w.Ref("Router", w.Spec.RouterRef), Value: table.Network(leads), HolderKind: "RouterInterface", Range: true, Remedy: "use another router for one of them"})
	}
	if stated != "" && stated != expected {
		return claims
	}
	for _, c := range addressing.Claim(field, expected, subnet) {
		c.Remedy = "only one router can have the gateway address: remove this RouterInterface, or detach the other router"
		claims = append(claims, c)
	}
	return claims
}
