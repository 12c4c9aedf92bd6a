package router

import (
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type state = define.State[Spec, More]

func observe(s *state, live *kind.Live) {
	switch s.More.Status {
	case "ALLOCATING":
		live.Phase, live.Message = kind.Pending, "the cloud is looking for network agents that can run the router"
	case "ERROR":
		live.Phase, live.Message = kind.Degraded, "the cloud reports status ERROR"
	}
	if s.More.ExternalNetwork != "" {
		live.Uses = []string{s.More.ExternalNetwork}
	}
}

// findSubnets adds no object to the expansion. It sets SubnetRefs to the subnets from which the
// gateway can get an address.
func findSubnets(s *Spec, e *kind.Expansion) {
	for _, g := range s.ExternalGateways {
		s.SubnetRefs = append(s.SubnetRefs, e.Referring("Subnet", "Network", g.NetworkRef)...)
	}
}

// external is the external network of the router's gateway; the zero Ref if the manifest wants no
// gateway.
func external(w typed.Want[Spec]) kind.Ref {
	if len(w.Spec.ExternalGateways) == 0 {
		return kind.Ref{}
	}
	return w.Ref("Network", w.Spec.ExternalGateways[0].NetworkRef)
}

// exclusiveClaims claims one free address of the external network for the gateway. The cloud chooses the
// address.
func exclusiveClaims(w typed.Want[Spec]) []kind.Claim {
	if len(w.Spec.ExternalGateways) == 0 {
		return nil
	}
	return []kind.Claim{{Field: "spec.resource.externalGateways[0].networkRef", Owner: external(w), From: "Subnet", HolderKind: "Port"}}
}

func compareGateway(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	if len(w.Spec.ExternalGateways) == 0 {
		kind.Field(c, "spec.resource.externalGateways", have.More.ExternalNetwork, "")
		return
	}
	kind.Link(c, "spec.resource.externalGateways[0].networkRef", have.More.ExternalNetwork, external(w), kind.InPlace)
}

// writeGateway writes the gateway as Neutron expects it. An empty object removes the gateway.
func writeGateway(w typed.Want[Spec], have *table.Object[Spec, More], body map[string]any) {
	gateway := map[string]any{}
	if network := external(w); network.ID != "" {
		gateway["network_id"] = network.ID
	}
	if have != nil || len(gateway) > 0 {
		body["external_gateway_info"] = gateway
	}
}

func showGateway(s *state, shown table.Shown) {
	if s.More.ExternalNetwork != "" {
		shown["externalGateways"] = []map[string]any{{"networkID": s.More.ExternalNetwork}}
	}
}

// export adds the gateway, and omits fields that only an administrator can set, if they have the usual value.
func export(s *state, spec *Spec, _ *kind.Export) {
	if s.More.ExternalNetwork != "" {
		spec.ExternalGateways = []ExternalGateway{{NetworkRef: s.More.ExternalNetwork}}
	}
	if !table.Or(spec.Distributed, false) {
		spec.Distributed = nil
	}
}
