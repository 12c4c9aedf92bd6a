// Package loadbalancer is the kind LoadBalancer: an address that spreads connections over machines. It owns a whole tree
// in Octavia: the load balancer with its listeners, pools, members, health monitors and L7 policies. Anything else under
// that load balancer is removed, unless an annotation leaves it to others.
//
// Of machines, the package uses only the names of their ports, and gets their addresses by reference. Octavia itself
// creates the port of the load balancer's address.
package loadbalancer

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the declared load balancer. Its fields are those of LINE's Verda operator (verda.linecorp.com/v1alpha1, whose
// manifests are accepted unchanged) and a few more.
type Spec struct {
	Description  *string  `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Tags         []string `json:"tags,omitempty" api:"tags,set,empty" doc:"Tags, besides those that mark the owner."`
	AdminStateUp *bool    `json:"adminStateUp,omitempty" api:"admin_state_up" rule:"default=true" cuts:"it accepts no connections any more" doc:"Whether the load balancer accepts connections."`
	Region       *string  `json:"region,omitempty" doc:"The region of the load balancer, by its name in the cloud or in the stack's defaults.regions."`
	Zone         *string  `json:"zone,omitempty" rule:"immutable" doc:"Availability zone, by its name in the cloud or in the stack's defaults.zones. It is used if the load balancer service has zones."`
	VIPType      *string  `json:"vipType,omitempty" rule:"immutable" doc:"Network of its address: a key of the stack's defaults.vipNetworks."`
	VIPNetwork   *string  `json:"vipNetwork,omitempty" rule:"immutable,min=1" doc:"Network of its address: a Network of the repository, or an existing one. It takes precedence over vipType. The stack's defaults.network if both are left out."`
	VIPAddress   *string  `json:"vipAddress,omitempty" api:"vip_address" rule:"immutable,format=ip" doc:"Address of the load balancer; chosen by the cloud if left out."`
	// AdditionalVIPs are on subnets of the same network.
	AdditionalVIPs []AdditionalVIP `json:"additionalVIPs,omitempty" rule:"immutable,max=10,key=subnetRef" doc:"Further addresses, each on another subnet of the same network; needs Octavia 2.26."`
	ServiceType    *string         `json:"serviceType,omitempty" rule:"immutable" doc:"Octavia flavor of the load balancer: a key of the stack's defaults.serviceTypes. Not managed if left out."`
	Provider       *string         `json:"provider,omitempty" api:"provider" rule:"immutable,max=64,pattern=^[A-Za-z0-9_.-]+$" doc:"Octavia's provider: amphora, ovn or a vendor's; the cloud decides if left out. ovn forwards only tcp, udp and sctp; a manifest with anything else is refused." example:"amphora"`
	// FloatingIP is a FloatingIP with the name of the load balancer.
	FloatingIP *machine.FloatingIP `json:"floatingIP,omitempty" doc:"Address that can be reached from outside. This makes a FloatingIP with the name of the load balancer."`
	Ports      []Port              `json:"ports" rule:"required,min=1,objects,apart,key=port" cuts:"connections to these ports are refused" doc:"The ports of the load balancer, and the machines behind them."`

	// NetworkRef, Flavor and AvailabilityZone are the values of vipNetwork, serviceType and zone, with the cloud's
	// names.
	NetworkRef string `json:"-" ref:"Network" from:"vipNetwork" rule:"immutable"`
	// SubnetRefs are the repository's subnets of that network. The load balancer's address is in one of them.
	SubnetRefs       []string `json:"-" ref:"Subnet" from:"vipNetwork"`
	Flavor           string   `json:"-"`
	AvailabilityZone string   `json:"-"`
}

// AdditionalVIP is a further address of the load balancer.
type AdditionalVIP struct {
	SubnetRef string  `json:"subnetRef" ref:"Subnet" rule:"required,min=1" doc:"Subnet of the address."`
	Address   *string `json:"address,omitempty" rule:"format=ip" doc:"The address; chosen by the cloud if left out."`
}

// fields are the attributes of the load balancer itself, without those of its listeners and pools. createBody writes the name, the tags, the network, the
// zone, the flavor and the further addresses.
var fields = table.NewFlat(
	table.Override[Spec, Balancer]{Field: "zone", Compare: compareZone},
	table.Override[Spec, Balancer]{Field: "vipNetwork", Compare: compareNetwork},
	table.Override[Spec, Balancer]{Field: "serviceType", Compare: compareFlavor},
	table.Override[Spec, Balancer]{Field: "provider", Compare: compareProvider},
	table.Override[Spec, Balancer]{Field: "additionalVIPs", Compare: compareVIPs},
)

// Kind returns the kind LoadBalancer. c may be nil if only the kind's rules are needed. d translates names in manifests
// into the cloud's names.
func Kind(c *cloud.Client, d defaults.Defaults) *kind.Kind {
	r, with := rules{d}, driver{c, defaults.Recall(d.Memory, "LoadBalancer pending", func() *lastPending { return &lastPending{} }), defaults.Recall(d.Memory, "LoadBalancer owned", func() *owned { return &owned{} })}
	return typed.Kind[Spec, struct{}, State]{
		Info: kind.Info{
			Lists: []string{cloud.LoadBalancer + "/lbaas/loadbalancers"}, Joins: balancerParts(),
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "LoadBalancer", Short: "lb", Aliases: []string{"verda.linecorp.com"}, Service: cloud.LoadBalancer, ReportsHealth: true, Parts: []string{"FloatingIP"},
			Unmark: mark.UnmarkByTag("loadbalancer"),
			Loss:   []string{"its address, unless the manifest fixes it"},
			Doc:    "A load balancer with its ports, the machines behind them and the checks of their health (Octavia).",
		},
		Validate: r.Validate, Expand: r.Expand, Joins: joinsOffers, QuotaNeeded: r.QuotaNeeded, QuotaUsed: r.QuotaUsed, Impossible: r.Impossible, ExclusiveClaims: r.ExclusiveClaims, Diff: r.Diff, Status: r.Status, Export: r.Export,
		List: with.List, Create: with.Create, Update: with.Update, Delete: with.Delete, Unmark: with.Unmark,
	}.Flat()
}

// balancerParts are the collections with the parts of load balancers, and with what these parts name.
func balancerParts() (list []string) {
	for _, part := range []string{"listeners", "pools", "healthmonitors", "l7policies", "flavors", "availabilityzones"} {
		list = append(list, cloud.LoadBalancer+"/lbaas/"+part)
	}
	return list
}
