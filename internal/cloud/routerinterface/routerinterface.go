// Package routerinterface is the kind RouterInterface: what attaches a subnet
// to a router. In Neutron that is a port of the router; the package makes and
// marks that port itself, so that it can tell its own interfaces from those
// that others have attached. Of routers and subnets it knows only their IDs.
package routerinterface

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what an interface shall be, in K-ORC's words
// (api/v1alpha1/router_interface_types.go).
type Spec struct {
	Type         string  `json:"type" rule:"required,immutable,enum=Subnet" doc:"What is attached: a subnet."`
	RouterRef    string  `json:"routerRef" rule:"required,immutable" ref:"Router" doc:"The router."`
	SubnetRef    string  `json:"subnetRef" rule:"required,immutable" ref:"Subnet" doc:"The subnet; the router takes its gateway address."`
	ResyncPeriod *string `json:"resyncPeriod,omitempty" doc:"Accepted and ignored: the stack's driftCheck says when the cloud is looked at."`
}

// State is a router's port as Neutron shows it.
type State struct {
	cloud.NeutronBase
	NetworkID   string    `json:"network_id"`
	DeviceID    string    `json:"device_id"` // the router; "" before it is attached
	DeviceOwner string    `json:"device_owner"`
	Status      string    `json:"status"`
	FixedIPs    []fixedIP `json:"fixed_ips"`
}

type fixedIP struct {
	SubnetID  string `json:"subnet_id"`
	IPAddress string `json:"ip_address,omitempty"`
}

func (s *State) on(subnet string) bool {
	return slices.ContainsFunc(s.FixedIPs, func(ip fixedIP) bool { return ip.SubnetID == subnet })
}

// isInterface tells whether a port is a router's interface at all, and not, say, its
// gateway. (neutron-lib constants.py: ROUTER_INTERFACE_OWNERS)
func (s *State) isInterface() bool {
	return cloud.IsRouterPort(s.DeviceOwner)
}

type rules struct{}

// Kind is the kind RouterInterface over c, which may be nil where only rules
// are needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.DefineFlat[Spec, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "RouterInterface", Service: cloud.Network,
		Unmark: cloud.UnmarkByLabel("port"),
		Doc:    "A subnet's connection to a router (Neutron).",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return w.Key.Name }

func (rules) Validate(*Spec, *kind.Report) {}

// Diff reports a port that is not attached yet as a change in place; one on
// another router or subnet must be made anew.
func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	router, subnet := w.Ref("Router", w.Spec.RouterRef), w.Ref("Subnet", w.Spec.SubnetRef)
	cost := kind.Replace
	if have.DeviceID == "" {
		cost = kind.InPlace
	}
	kind.Link(c, "spec.routerRef", have.DeviceID, router, cost)
	if subnet.Ready && !have.on(subnet.ID) {
		kind.Fixed(c, "spec.subnetRef", have.subnets(), subnet.ID)
	}
}

func (s *State) subnets() string {
	var ids []string
	for _, ip := range s.FixedIPs {
		ids = append(ids, ip.SubnetID)
	}
	return strings.Join(ids, " ")
}

func (rules) Match(kind.Want[struct{}], *State) bool { return false }

// Observed is what status shows beside the ID; K-ORC has nothing there.
type Observed struct {
	RouterID  string   `json:"routerID,omitempty"`
	SubnetIDs []string `json:"subnetIDs,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
	Status    string   `json:"status"`
}

func (rules) Status(s *State) any {
	o := Observed{RouterID: s.DeviceID, Status: s.Status}
	for _, ip := range s.FixedIPs {
		o.SubnetIDs = append(o.SubnetIDs, ip.SubnetID)
		o.Addresses = append(o.Addresses, ip.IPAddress)
	}
	return o
}
