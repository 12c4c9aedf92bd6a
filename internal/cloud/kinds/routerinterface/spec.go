// Package routerinterface is the kind RouterInterface: the connection of a subnet
// to a router. In Neutron that is a port of the router. The package creates and
// marks that port itself, so it can distinguish its own interfaces from interfaces
// that others attached. It knows routers and subnets only by their IDs.
package routerinterface

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the desired state of an interface, in K-ORC's vocabulary
// (api/v1alpha1/router_interface_types.go).
type Spec struct {
	Type         string  `json:"type" rule:"required,immutable,enum=Subnet" doc:"Type of the attached object: a subnet."`
	RouterRef    string  `json:"routerRef" api:"device_id,unwritten" show:"routerID" rule:"required,immutable,min=1" ref:"Router,credentials" doc:"The router."`
	SubnetRef    string  `json:"subnetRef" rule:"required,immutable,min=1" ref:"Subnet" doc:"The subnet. The router gets the gateway address of the subnet."`
	ResyncPeriod *string `json:"resyncPeriod,omitempty" doc:"Accepted and ignored, because the stack's driftCheck says when the cloud is checked."`
}

// More holds the fields of a router's port that only Neutron sets.
type More struct {
	Status      string    `json:"status" api:"status"`
	DeviceOwner string    `json:"deviceOwner" api:"device_owner" show:"-"`
	FixedIPs    []FixedIP `json:"fixedIPs" api:"fixed_ips" show:"-"`
}

// FixedIP is an address of a port.
type FixedIP struct {
	SubnetID string `json:"subnetID" api:"subnet_id"`
	IP       string `json:"ip" api:"ip_address"`
}

// Kind returns the kind RouterInterface. c may be nil where only its rules are
// needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.Neutron(c, define.Resource[Spec, struct{}, More]{
		Info: kind.Info{Kind: "RouterInterface", Carries: "Subnet", Unmark: mark.UnmarkByLabel("port"),
			Doc: "A subnet's connection to a router (Neutron)."},
		Collection:      define.Collection{Path: "ports", Singular: "port"},
		Flat:            true,
		Name:            func(w typed.Want[Spec], _ string) string { return w.Key.Name },
		Overrides:       []table.Override[Spec, More]{{Field: "routerRef", Compare: compareRouter}, {Field: "subnetRef", Compare: compareSubnet}},
		ExclusiveClaims: exclusiveClaims, Observe: observe, Show: show, Export: export, All: list, Create: create, Update: update, Delete: detach,
	})
}
