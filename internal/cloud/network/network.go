// Package network is the kind Network: a Neutron network, in K-ORC's
// vocabulary. It knows nothing of what is plugged into it.
package network

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a network shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/network_types.go), values Neutron's
// (neutron-lib api/definitions/network.py).
type Spec struct {
	Name                  *string  `json:"name,omitempty" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description           *string  `json:"description,omitempty" rule:"max=255" doc:"Free text."`
	Tags                  []string `json:"tags,omitempty" doc:"Tags, besides those that mark the owner."`
	AdminStateUp          *bool    `json:"adminStateUp,omitempty" rule:"default=true" doc:"Whether the network forwards packets."`
	DNSDomain             *string  `json:"dnsDomain,omitempty" rule:"immutable,max=255" doc:"DNS domain of the ports on it, with a final dot."`
	MTU                   *int     `json:"mtu,omitempty" rule:"min=68,max=9216" doc:"Largest packet in bytes; the cloud decides if left out."`
	PortSecurityEnabled   *bool    `json:"portSecurityEnabled,omitempty" doc:"Whether new ports have security groups and anti-spoofing; the cloud decides if left out."`
	External              *bool    `json:"external,omitempty" rule:"default=false" doc:"Whether floating IPs and gateways can come from it. Needs an administrator."`
	Shared                *bool    `json:"shared,omitempty" rule:"default=false" doc:"Whether other projects can use it. Needs an administrator."`
	AvailabilityZoneHints []string `json:"availabilityZoneHints,omitempty" rule:"immutable" doc:"Where the network's agents should run."`
	cloud.ProjectRef      `json:",inline"`
}

// Filter says which existing network is meant.
type Filter struct {
	Name                *string `json:"name,omitempty" doc:"Exact name."`
	Description         *string `json:"description,omitempty" doc:"Exact description."`
	External            *bool   `json:"external,omitempty" doc:"Whether it is external."`
	cloud.ProjectFilter `json:",inline"`
	cloud.TagFilter     `json:",inline"`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

// State is a network as Neutron shows it.
type State struct {
	cloud.NeutronBase
	Status                string   `json:"status"`
	AdminStateUp          bool     `json:"admin_state_up"`
	DNSDomain             string   `json:"dns_domain"`
	MTU                   int      `json:"mtu"`
	PortSecurityEnabled   *bool    `json:"port_security_enabled"`
	External              bool     `json:"router:external"`
	Shared                bool     `json:"shared"`
	AvailabilityZoneHints []string `json:"availability_zone_hints"`
	Subnets               []string `json:"subnets"`
	NetworkType           string   `json:"provider:network_type"` // provider attributes are shown to administrators only
	PhysicalNetwork       string   `json:"provider:physical_network"`
	SegmentationID        int      `json:"provider:segmentation_id"`
}

type rules struct{}

// Kind is the kind Network over c, which may be nil where only rules are
// needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "Network", Service: cloud.Network,
		Unmark: cloud.UnmarkByLabel("network"),
		Doc:    "A virtual layer 2 network (Neutron).",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

func (rules) Validate(*Spec, *kind.Report) {}

func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	want := w.Spec
	kind.Field(c, "spec.resource.name", have.Name, rules{}.Name(w))
	have.NeutronBase.Diff(labels(w), c)
	want.ProjectRef.Diff(have.ProjectID, w.Ref, c)
	kind.Field(c, "spec.resource.adminStateUp", have.AdminStateUp, cloud.Or(want.AdminStateUp, true))
	kind.Pointer(c, "spec.resource.dnsDomain", have.DNSDomain, want.DNSDomain, kind.Replace)
	kind.Pointer(c, "spec.resource.mtu", have.MTU, want.MTU, kind.InPlace)
	kind.Pointer(c, "spec.resource.portSecurityEnabled", cloud.Or(have.PortSecurityEnabled, true), want.PortSecurityEnabled, kind.InPlace)
	kind.Field(c, "spec.resource.external", have.External, cloud.Or(want.External, false))
	kind.Field(c, "spec.resource.shared", have.Shared, cloud.Or(want.Shared, false))
	if want.AvailabilityZoneHints != nil {
		kind.Set(c, "spec.resource.availabilityZoneHints", have.AvailabilityZoneHints, want.AvailabilityZoneHints, kind.Replace)
	}
}

func labels(w kind.Want[Spec]) cloud.Labels {
	return cloud.Labels{Description: cloud.Or(w.Spec.Description, ""), Tags: w.Spec.Tags, MarkInTags: w.OthersWrite("spec.resource.description")}
}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	f := w.Spec
	return cloud.Is(f.Name, have.Name) && cloud.Is(f.Description, have.Description()) &&
		cloud.Is(f.External, have.External) && f.ProjectFilter.Match(have.ProjectID, w.Ref) && f.TagFilter.Match(have.UserTags())
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name                  string    `json:"name"`
	Description           string    `json:"description,omitempty"`
	ProjectID             string    `json:"projectID"`
	Status                string    `json:"status"`
	Tags                  []string  `json:"tags,omitempty"`
	AdminStateUp          bool      `json:"adminStateUp"`
	AvailabilityZoneHints []string  `json:"availabilityZoneHints,omitempty"`
	DNSDomain             string    `json:"dnsDomain,omitempty"`
	MTU                   int       `json:"mtu"`
	PortSecurityEnabled   *bool     `json:"portSecurityEnabled,omitempty"`
	Provider              *Provider `json:"provider,omitempty"`
	External              bool      `json:"external"`
	Shared                bool      `json:"shared"`
	Subnets               []string  `json:"subnets,omitempty"`
	RevisionNumber        int       `json:"revisionNumber"`
	CreatedAt             string    `json:"createdAt,omitempty"`
	UpdatedAt             string    `json:"updatedAt,omitempty"`
}

// Provider says what a network is made of, as administrators see it.
type Provider struct {
	NetworkType     string `json:"networkType,omitempty"`
	PhysicalNetwork string `json:"physicalNetwork,omitempty"`
	SegmentationID  int    `json:"segmentationID,omitempty"`
}

func (rules) Status(s *State) any {
	o := Observed{
		Name: s.Name, Description: s.Description(), ProjectID: s.ProjectID, Status: s.Status, Tags: s.UserTags(),
		AdminStateUp: s.AdminStateUp, DNSDomain: s.DNSDomain, MTU: s.MTU, PortSecurityEnabled: s.PortSecurityEnabled,
		External: s.External, Shared: s.Shared, Subnets: s.Subnets, RevisionNumber: s.Revision,
		CreatedAt: cloud.Timestamp(s.CreatedAt), UpdatedAt: cloud.Timestamp(s.UpdatedAt), AvailabilityZoneHints: s.AvailabilityZoneHints,
	}
	if p := (Provider{s.NetworkType, s.PhysicalNetwork, s.SegmentationID}); p != (Provider{}) {
		o.Provider = &p
	}
	return o
}
