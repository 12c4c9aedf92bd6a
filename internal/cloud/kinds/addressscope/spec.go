// Package addressscope is the kind AddressScope: subnet pools whose addresses do not overlap
// (Neutron), in K-ORC's vocabulary.
//
// Neutron keeps nothing of an address scope that could be written but its name: no
// description, no tags. So the mark of the owner is the end of the name.
package addressscope

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is what an address scope shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/addressscope_types.go), values Neutron's (neutron-lib
// api/definitions/address_scope.py); names are shorter by what the mark takes.
type Spec struct {
	Name              *string `json:"name,omitempty" api:"name,named" rule:"max=140" doc:"Name in the cloud, before the mark of the owner; metadata.name if left out."`
	IPVersion         int     `json:"ipVersion" api:"ip_version" rule:"required,immutable,enum=4|6" doc:"IP version of the addresses in it."`
	Shared            *bool   `json:"shared,omitempty" api:"shared" rule:"default=false" needs:"administrator" doc:"Whether other projects can use it. Neutron never takes that back. Needs an administrator."`
	define.Shares     `json:",inline"`
	define.ProjectRef `json:",inline"`
}

// More is what only Neutron says of an address scope.
type More struct {
	ProjectID string `json:"projectID" api:"project_id"`
}

// Filter says which existing address scope is meant.
type Filter struct {
	Name                 *string `json:"name,omitempty" doc:"Exact name, without a mark."`
	IPVersion            *int    `json:"ipVersion,omitempty" rule:"enum=4|6" doc:"IP version."`
	Shared               *bool   `json:"shared,omitempty" doc:"Whether other projects can use it."`
	define.ProjectFilter `json:",inline"`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind is the kind AddressScope over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Group: define.OrcGroup, Version: "v1alpha1", Kind: "AddressScope", Service: cloud.Network, Rare: true, Held: true,
			Unmark: "openstack address scope set --name <name> <id>",
			Doc:    "Subnet pools whose addresses do not overlap, so that routers need not translate between them (Neutron). Its name in the cloud ends in the mark of its owner, because Neutron has no other place for it."},
		Collection: define.Collection{Path: "address-scopes", Field: "address_scopes", Singular: "address_scope", UpdateBy: http.MethodPut, Project: "project_id", Extension: "address-scope"},
		Mark:       mark.NamePlace,
		Sharing:    define.Sharing{Type: "address_scope", Extension: "rbac-address-scope"},
		Overrides:  []table.Override[Spec, More]{{Field: "shared", Compare: compareShared}},
	})
}

// compareShared leaves alone what is shared already: Neutron refuses to take it back, and
// another address scope could not take its place while subnet pools are in it.
func compareShared(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	want, shared := table.Or(w.Spec.Shared, false), table.Or(have.Spec.Shared, false)
	if shared && !want {
		c.Note("spec.resource.shared", "it stays shared: Neutron cannot take that back")
		return
	}
	kind.Field(c, "spec.resource.shared", shared, want)
}
