// Package volumetype is the kind VolumeType: the sort of storage that a volume is on
// (Cinder), in K-ORC's vocabulary. Every user can find the types that the project may use.
// Only an administrator can create a type.
//
// The mark is at the end of the description. Extra specs cannot contain it, for two
// reasons. The scheduler and drivers search for storage that has each of the extra specs
// (cinder/scheduler/filters/capabilities_filter.py). And extra specs cannot be changed
// while a volume of the type exists (cinder/api/contrib/types_extra_specs.py:
// _allow_update).
package volumetype

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a volume type. Field names and meanings are from K-ORC
// (api/v1alpha1/volumetype_types.go).
type Spec struct {
	Name        *string            `json:"name,omitempty" api:"name,named" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description *string            `json:"description,omitempty" api:"description,empty" rule:"min=1,max=80,pattern=^[^\\x00-\\x1f\\x7f]*$" doc:"Free text of one line, which everybody can read. Cinder accepts 255 characters, including the owner mark at the end."`
	ExtraSpecs  []define.NameValue `json:"extraSpecs,omitempty" api:"extra_specs,pairs" rule:"max=64" doc:"All properties for the storage; not managed if left out. They cannot be changed while a volume of the type exists."`
	IsPublic    *bool              `json:"isPublic,omitempty" api:"os-volume-type-access:is_public,read=is_public" rule:"default=true" doc:"Whether every project can use it."`
}

// Filter selects an existing volume type.
type Filter struct {
	Name        *string `json:"name,omitempty" doc:"Exact name."`
	Description *string `json:"description,omitempty" rule:"lines" doc:"Exact description."`
	IsPublic    *bool   `json:"isPublic,omitempty" doc:"Whether every project can use it."`
}

// FilterName is the name that the filter asks for.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type (
	state  = define.State[Spec, struct{}]
	driver = *define.Driver[Spec, Filter, struct{}]
)

// Kind returns the kind VolumeType. c may be nil where only its rules are needed. If a
// request has no is_public, Cinder lists only public types to administrators, so the path
// asks for all types.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, struct{}]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "VolumeType", Service: cloud.BlockStorage, UniqueNames: true, Scope: kind.Offered,
			Unmark: "openstack volume type set --description <text> <id>",
			Doc:    "A type of storage for volumes (Cinder). Everybody can use existing types, with managementPolicy unmanaged. Only an administrator can make one.",
		},
		Collection: define.Collection{Path: "types", Lists: []string{"types?is_public=None"}, Field: "volume_types", Singular: "volume_type", UpdateBy: http.MethodPut},
		Mark:       mark.IdentityDescriptionPlace,
		Validate:   validate, Update: update, Delete: remove,
		Observe: func(s *state, live *kind.Live) {
			define.ObserveIdentity(c, s, "", live)
			live.Tokens = []string{"volume type " + s.Name} // volumes show the name of their type instead of its ID
		},
	})
}
