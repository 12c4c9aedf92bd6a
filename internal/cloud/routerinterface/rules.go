package routerinterface

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

type state = define.NeutronState[Spec, More]

// compareRouter reports a port that is not attached yet as a change in place; one on
// another router must be recreated.
func compareRouter(w kind.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	cost := kind.Replace
	if have.Spec.RouterRef == "" {
		cost = kind.InPlace
	}
	kind.Link(c, "spec.routerRef", have.Spec.RouterRef, w.Ref("Router", w.Spec.RouterRef), cost)
}

func compareSubnet(w kind.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if subnet, present := w.Ref("Subnet", w.Spec.SubnetRef), have.More.subnets(); subnet.Ready && !slices.Contains(present, subnet.ID) {
		kind.Fixed(c, "spec.subnetRef", strings.Join(present, " "), subnet.ID)
	}
}

func (m *More) subnets() (ids []string) {
	for _, ip := range m.FixedIPs {
		ids = append(ids, ip.SubnetID)
	}
	return ids
}

func observe(s *state, live *kind.Live[*state]) {
	if s.Spec.RouterRef != "" {
		live.Uses, live.InUse = append(live.Uses, s.Spec.RouterRef), true
	} else if live.Mark != nil && live.Mark.Applied != "" {
		live.Mark.Applied = kind.Unreadable // never attached: detaching one deletes it
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

// export takes the first subnet: an interface to several, as IPv6 has them, is no
// RouterInterface.
func export(s *state, spec *Spec, e *kind.Export) {
	subnets := s.More.subnets()
	if s.Spec.RouterRef == "" || len(subnets) == 0 {
		e.LeftOut = "leads to no router"
		return
	}
	spec.Type, spec.SubnetRef = "Subnet", subnets[0]
	if len(subnets) > 1 {
		e.Lose("spec.subnetRef", "it leads to "+strings.Join(subnets, ", ")+"; only the first of these subnets is named")
	}
}
