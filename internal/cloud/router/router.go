// Package router is the kind Router: a Neutron router and its gateway, in
// K-ORC's vocabulary. It knows nothing of the subnets attached to it: those
// are RouterInterfaces.
package router

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a router shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/router_types.go), values Neutron's
// (neutron-lib api/definitions/l3.py).
type Spec struct {
	Name                  *string           `json:"name,omitempty" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description           *string           `json:"description,omitempty" rule:"max=255" doc:"Free text."`
	Tags                  []string          `json:"tags,omitempty" rule:"max=64" doc:"Tags, besides those that mark the owner."`
	AdminStateUp          *bool             `json:"adminStateUp,omitempty" rule:"default=true" doc:"Whether the router forwards packets."`
	ExternalGateways      []ExternalGateway `json:"externalGateways,omitempty" rule:"max=1" doc:"The external network it leads to. Changed in place."`
	Distributed           *bool             `json:"distributed,omitempty" rule:"immutable" doc:"Whether it runs on every compute node. Needs an administrator; the cloud decides if left out."`
	AvailabilityZoneHints []string          `json:"availabilityZoneHints,omitempty" rule:"immutable,max=64" doc:"Where the router's agents should run."`
	cloud.ProjectRef      `json:",inline"`
	// SubnetRefs are the subnets that the repository puts on the external
	// network: a gateway made before them has no address.
	SubnetRefs []string `json:"-" ref:"Subnet,order"`
}

// ExternalGateway is a way out.
type ExternalGateway struct {
	NetworkRef string `json:"networkRef" rule:"required" ref:"Network" doc:"An external network."`
}

// Filter says which existing router is meant.
type Filter struct {
	Name                *string `json:"name,omitempty" doc:"Exact name."`
	Description         *string `json:"description,omitempty" doc:"Exact description."`
	cloud.ProjectFilter `json:",inline"`
	cloud.TagFilter     `json:",inline"`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

// State is a router as Neutron shows it.
type State struct {
	cloud.NeutronBase
	Status       string `json:"status"`
	AdminStateUp bool   `json:"admin_state_up"`
	// Gateway is nil when there is none.
	Gateway               *gateway `json:"external_gateway_info"`
	Distributed           bool     `json:"distributed"`
	AvailabilityZoneHints []string `json:"availability_zone_hints"`
}

type gateway struct {
	NetworkID string `json:"network_id"`
}

func (s *State) gatewayNetwork() string {
	if s.Gateway == nil {
		return ""
	}
	return s.Gateway.NetworkID
}

type rules struct{}

// Kind is the kind Router over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "Router", Service: cloud.Network,
		Unmark: cloud.UnmarkByLabel("router"),
		Doc:    "A router between networks and to the outside (Neutron).",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

// Expand makes no object; it finds the subnets the gateway's address can come
// from.
func (rules) Expand(s *Spec, e *kind.Expansion) {
	for _, g := range s.ExternalGateways {
		s.SubnetRefs = append(s.SubnetRefs, e.Referring("Subnet", "Network", g.NetworkRef)...)
	}
}

func (rules) Validate(*Spec, *kind.Report) {}

func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	want := w.Spec
	kind.Field(c, "spec.resource.name", have.Name, rules{}.Name(w))
	have.NeutronBase.Diff(labels(w), c)
	want.ProjectRef.Diff(have.ProjectID, w.Ref, c)
	kind.Field(c, "spec.resource.adminStateUp", have.AdminStateUp, cloud.Or(want.AdminStateUp, true))
	if len(want.ExternalGateways) == 0 {
		kind.Field(c, "spec.resource.externalGateways", have.gatewayNetwork(), "")
	} else {
		kind.Link(c, "spec.resource.externalGateways[0].networkRef", have.gatewayNetwork(), out(w), kind.InPlace)
	}
	kind.Pointer(c, "spec.resource.distributed", have.Distributed, want.Distributed, kind.Replace)
	if want.AvailabilityZoneHints != nil {
		kind.Set(c, "spec.resource.availabilityZoneHints", have.AvailabilityZoneHints, want.AvailabilityZoneHints, kind.Replace)
	}
}

// out is the external network of a router; the zero Ref for none.
func out(w kind.Want[Spec]) kind.Ref {
	if len(w.Spec.ExternalGateways) == 0 {
		return kind.Ref{}
	}
	return w.Ref("Network", w.Spec.ExternalGateways[0].NetworkRef)
}

func labels(w kind.Want[Spec]) cloud.Labels {
	return cloud.Labels{Description: cloud.Or(w.Spec.Description, ""), Tags: w.Spec.Tags, MarkInTags: w.OthersWrite("spec.resource.description")}
}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	f := w.Spec
	return cloud.Is(f.Name, have.Name) && cloud.Is(f.Description, have.Description()) && f.ProjectFilter.Match(have.ProjectID, w.Ref) && f.TagFilter.Match(have.UserTags())
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name                  string            `json:"name"`
	Description           string            `json:"description,omitempty"`
	ProjectID             string            `json:"projectID"`
	Status                string            `json:"status"`
	Tags                  []string          `json:"tags,omitempty"`
	AdminStateUp          bool              `json:"adminStateUp"`
	ExternalGateways      []ObservedGateway `json:"externalGateways,omitempty"`
	AvailabilityZoneHints []string          `json:"availabilityZoneHints,omitempty"`
}

// ObservedGateway is a gateway that a router has.
type ObservedGateway struct {
	NetworkID string `json:"networkID"`
}

func (rules) Status(s *State) any {
	o := Observed{
		Name: s.Name, Description: s.Description(), ProjectID: s.ProjectID, Status: s.Status, Tags: s.UserTags(),
		AdminStateUp: s.AdminStateUp, AvailabilityZoneHints: s.AvailabilityZoneHints,
	}
	if s.Gateway != nil {
		o.ExternalGateways = []ObservedGateway{{NetworkID: s.Gateway.NetworkID}}
	}
	return o
}
