// Package network is the kind Network: a Neutron network, in K-ORC's vocabulary.
// The package does not read or change the ports on a network.
package network

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a network. Field names and meanings are from K-ORC
// (api/v1alpha1/network_types.go), values are from Neutron (neutron-lib
// api/definitions/network.py).
type Spec struct {
	Name                  *string  `json:"name,omitempty" api:"name,named" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description           *string  `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Tags                  []string `json:"tags,omitempty" api:"tags,set,empty" rule:"unique" doc:"Tags, besides those that mark the owner."`
	AdminStateUp          *bool    `json:"adminStateUp,omitempty" api:"admin_state_up" rule:"default=true" cuts:"it forwards no packets any more" doc:"Whether the network forwards packets."`
	DNSDomain             *string  `json:"dnsDomain,omitempty" api:"dns_domain,lower,empty,extension=dns-integration" rule:"max=255" doc:"DNS domain of the ports on the network, with a final dot. Not sent if the cloud lacks Neutron's extension dns-integration."`
	MTU                   *int     `json:"mtu,omitempty" api:"mtu" rule:"min=68,max=9216" doc:"Largest packet in bytes; the cloud decides if left out."`
	PortSecurityEnabled   *bool    `json:"portSecurityEnabled,omitempty" api:"port_security_enabled,absent=true" doc:"Whether new ports have security groups and anti-spoofing; the cloud decides if left out."`
	External              *bool    `json:"external,omitempty" api:"router:external" rule:"default=false" doc:"Whether floating IPs and gateways can be on this network. Needs an administrator."`
	Shared                *bool    `json:"shared,omitempty" api:"shared" rule:"default=false" doc:"Whether other projects can use the network. Needs an administrator."`
	AvailabilityZoneHints []string `json:"availabilityZoneHints,omitempty" api:"availability_zone_hints,set" rule:"immutable,unique" doc:"Where the network's agents should run."`
	QoSPolicyRef          *string  `json:"qosPolicyRef,omitempty" api:"qos_policy_id,extension=qos" show:"qosPolicyID" ref:"QoSPolicy" doc:"The QoSPolicy of the object; no policy if empty. Not managed if left out, because administrators may set a policy, too."`
	define.Shares         `json:",inline"`
	define.ProjectRef     `json:",inline"`
}

// More holds the fields of a network that only Neutron sets.
type More struct {
	Status   string   `json:"status" api:"status"`
	Subnets  []string `json:"subnets" api:"subnets"`
	Provider Provider `json:"provider" api:",inline"`
}

// Provider describes how a network is realized physically. Only administrators see
// it.
type Provider struct {
	NetworkType     string `json:"networkType,omitempty" api:"provider:network_type"`
	PhysicalNetwork string `json:"physicalNetwork,omitempty" api:"provider:physical_network"`
	SegmentationID  int    `json:"segmentationID,omitempty" api:"provider:segmentation_id"`
}

// Filter selects an existing network.
type Filter struct {
	define.NameFilter    `json:",inline"`
	External             *bool `json:"external,omitempty" doc:"Whether it is external."`
	define.ProjectFilter `json:",inline"`
	define.TagFilter     `json:",inline"`
}

// Kind returns the kind Network. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.Neutron(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Kind: "Network", Short: "net", Unmark: mark.UnmarkByLabel("network"),
			Doc: "A virtual layer 2 network (Neutron)."},
		Collection: define.Collection{Path: "networks", Singular: "network"}, Sharing: define.Sharing{Type: "network", Extension: "rbac-policies"}, Observe: observe, Stated: stated,
	})
}

type state = define.State[Spec, More]

func stated(s *Spec) kind.Facts {
	return kind.Facts{External: table.Or(s.External, false) && !table.Or(s.Shared, false)}
}

func observe(s *state, live *kind.Live) {
	live.Facts = stated(&s.Spec)
	live.Facts.Subnets = s.More.Subnets
	if policy := table.Or(s.Spec.QoSPolicyRef, ""); policy != "" {
		live.Uses = []string{policy}
	}
}
