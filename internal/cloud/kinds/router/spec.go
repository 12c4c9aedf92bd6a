// Package router is the kind Router: a Neutron router and its gateway, in
// K-ORC's vocabulary. Another kind, RouterInterface, attaches subnets to the
// router.
package router

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a router. Field names and meanings are from
// K-ORC (api/v1alpha1/router_types.go), values are from Neutron (neutron-lib
// api/definitions/l3.py).
type Spec struct {
	Name                  *string           `json:"name,omitempty" api:"name,named" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description           *string           `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Tags                  []string          `json:"tags,omitempty" api:"tags,set,empty" rule:"max=64,unique" doc:"Tags, besides those that mark the owner."`
	AdminStateUp          *bool             `json:"adminStateUp,omitempty" api:"admin_state_up" rule:"default=true" cuts:"it forwards no packets any more" doc:"Whether the router forwards packets."`
	ExternalGateways      []ExternalGateway `json:"externalGateways,omitempty" rule:"max=1,apart" cuts:"machines behind the router cannot reach the external network any more" doc:"The external networks of the router. They are changed in place."`
	Distributed           *bool             `json:"distributed,omitempty" api:"distributed" show:"-" rule:"immutable" doc:"Whether the router runs on every compute node. Needs an administrator; the cloud decides if left out."`
	AvailabilityZoneHints []string          `json:"availabilityZoneHints,omitempty" api:"availability_zone_hints,set" rule:"immutable,max=64,unique" doc:"Where the router's agents should run."`
	define.ProjectRef     `json:",inline"`
	// SubnetRefs are the subnets of the external network that the repository
	// declares. They must exist before the gateway is set, because the gateway
	// gets no address otherwise.
	SubnetRefs []string `json:"-" ref:"Subnet,order" from:"externalGateways"`
}

// ExternalGateway connects the router to an external network.
type ExternalGateway struct {
	NetworkRef string `json:"networkRef" rule:"required,min=1" ref:"Network" doc:"An external network."`
}

// More holds the fields of a router that only Neutron sets.
type More struct {
	Status          string `json:"status" api:"status"`
	ExternalNetwork string `json:"externalNetworkID" api:"external_gateway_info,read=external_gateway_info.network_id" show:"-"` // "" if there is none
}

// Filter selects an existing router.
type Filter struct {
	define.NameFilter    `json:",inline"`
	define.ProjectFilter `json:",inline"`
	define.TagFilter     `json:",inline"`
}

// Kind returns the kind Router. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.Neutron(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Kind: "Router", Unmark: mark.UnmarkByLabel("router"),
			Doc: "A router between networks and to the outside (Neutron)."},
		Collection: define.Collection{Path: "routers", Singular: "router"},
		Overrides:  []table.Override[Spec, More]{{Field: "externalGateways", Compare: compareGateway, Write: writeGateway}},
		Expand:     findSubnets, ExclusiveClaims: exclusiveClaims, Observe: observe, Show: showGateway, Update: update, Export: export,
	})
}
