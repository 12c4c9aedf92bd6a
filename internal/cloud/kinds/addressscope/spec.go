// Package addressscope is the kind AddressScope: subnet pools whose addresses do not overlap
// (Neutron), in K-ORC's vocabulary.
//
// Neutron gives an address scope no description and no tags. Its name is the only field that can contain the owner mark,
// so the mark is at the end of the name.
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

// Spec is the desired state of an address scope. Field names and meanings are K-ORC's
// (api/v1alpha1/addressscope_types.go), values Neutron's (neutron-lib api/definitions/address_scope.py). A name can have
// fewer characters than in Neutron, because the mark uses some of them.
type Spec struct {
	Name              *string `json:"name,omitempty" api:"name,named" rule:"max=140" doc:"Name in the cloud; metadata.name if left out. The cloud shows the owner mark after the name."`
	IPVersion         int     `json:"ipVersion" api:"ip_version" rule:"required,immutable,enum=4|6" doc:"IP version of the addresses in it."`
	Shared            *bool   `json:"shared,omitempty" api:"shared" rule:"default=false" needs:"administrator" doc:"Whether other projects can use the object. Neutron cannot end the sharing later. Needs an administrator."`
	define.Shares     `json:",inline"`
	define.ProjectRef `json:",inline"`
}

// More holds the fields of an address scope that only Neutron sets.
type More struct {
	ProjectID string `json:"projectID" api:"project_id"`
}

// Filter selects an existing address scope.
type Filter struct {
	Name                 *string `json:"name,omitempty" doc:"Exact name, without a mark."`
	IPVersion            *int    `json:"ipVersion,omitempty" rule:"enum=4|6" doc:"IP version."`
	Shared               *bool   `json:"shared,omitempty" doc:"Whether other projects can use it."`
	define.ProjectFilter `json:",inline"`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind returns the kind AddressScope. c may be nil if only the kind's rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Group: define.OrcGroup, Version: "v1alpha1", Kind: "AddressScope", Service: cloud.Network, Rare: true, KeptWhileUsed: true,
			Unmark: "openstack address scope set --name <name> <id>",
			Doc:    "Subnet pools whose addresses do not overlap, so that routers need not translate between them (Neutron). Its name in the cloud ends in the owner mark, because an address scope in Neutron has no other field for it."},
		Collection: define.Collection{Path: "address-scopes", Field: "address_scopes", Singular: "address_scope", UpdateBy: http.MethodPut, Project: "project_id", Extension: "address-scope"},
		Mark:       mark.NamePlace,
		Sharing:    define.Sharing{Type: "address_scope", Extension: "rbac-address-scope"},
		Overrides:  []table.Override[Spec, More]{{Field: "shared", Compare: compareShared}},
	})
}

// compareShared adds only a note if the manifest no longer shares a shared address scope, because Neutron refuses that
// change. A new address scope cannot replace it while it contains subnet pools.
func compareShared(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	want, shared := table.Or(w.Spec.Shared, false), table.Or(have.Spec.Shared, false)
	if shared && !want {
		c.Note("spec.resource.shared", "it stays shared: Neutron cannot end the sharing")
		return
	}
	kind.Field(c, "spec.resource.shared", shared, want)
}
