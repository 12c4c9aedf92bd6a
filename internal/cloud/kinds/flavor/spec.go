// Package flavor is the kind Flavor: the size of a server (Nova), in K-ORC's vocabulary.
// Everybody can list the flavors that the project may use. Only an administrator can create one.
//
// The mark is at the end of the description. It cannot be in the extra specs, because the scheduler compares them with
// hosts and aggregates, and newer Novas refuse unknown names (nova/api/validation/extra_specs).
//
// The package is more than a table of fields: Nova accepts extra specs only in separate requests, and of the flavor
// itself only the description can be changed.
package flavor

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a flavor. Field names and meanings are K-ORC's (api/v1alpha1/flavor_types.go). Unlike in
// K-ORC, the description can be changed.
type Spec struct {
	Name        *string            `json:"name,omitempty" api:"name,named" rule:"immutable,min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	ID          string             `json:"id,omitempty" api:"id" show:"-" rule:"immutable,max=255,pattern=^[a-zA-Z0-9._-]([a-zA-Z0-9. _-]*[a-zA-Z0-9._-])?$" doc:"ID in the cloud; the cloud chooses if left out."`
	Description *string            `json:"description,omitempty" api:"description,empty" rule:"min=1,max=65000,pattern=^[^\\x00-\\x1f\\x7f]*$" doc:"Free text of one line, which everybody can read. In the cloud, the owner mark follows the text."`
	RAM         int                `json:"ram" api:"ram" rule:"required,immutable,min=1" doc:"Memory in MiB."`
	Vcpus       int                `json:"vcpus" api:"vcpus" rule:"required,immutable,min=1" doc:"Number of virtual CPUs."`
	Disk        int                `json:"disk" api:"disk" rule:"required,immutable,min=0" doc:"Size of the root disk in GiB. 0 means the size of the image."`
	Swap        swap               `json:"swap,omitempty" api:"swap" show:"-" rule:"immutable,min=0,default=0" doc:"Size of the swap disk in MiB."`
	Ephemeral   int                `json:"ephemeral,omitempty" api:"OS-FLV-EXT-DATA:ephemeral" show:"-" rule:"immutable,min=0,default=0" doc:"Size of the scratch disk in GiB."`
	IsPublic    *bool              `json:"isPublic,omitempty" api:"os-flavor-access:is_public" rule:"immutable,default=true" doc:"Whether every project can use it."`
	ExtraSpecs  []define.NameValue `json:"extraSpecs,omitempty" api:"extra_specs,pairs,empty,hidden" rule:"max=128" doc:"All properties for the scheduler and the hypervisor; none if left out."`
}

// More holds the fields of a flavor that status shows even when they are zero, and whether the flavor is disabled.
type More struct {
	Swap      swap `json:"swap" api:"swap"`
	Ephemeral int  `json:"ephemeral" api:"OS-FLV-EXT-DATA:ephemeral"`
	Disabled  bool `json:"disabled" api:"OS-FLV-DISABLED:disabled" show:"-"`
}

// swap is a size in MiB. Nova before 2.75 shows "" if there is no swap disk.
type swap int

// UnmarshalJSON reads an empty text as 0.
func (s *swap) UnmarshalJSON(text []byte) error {
	if string(text) == `""` {
		*s = 0
		return nil
	}
	var size int
	if json.Unmarshal(text, &size) != nil || size < 0 {
		return errors.New("it needs a whole number of MiB, 0 for none")
	}
	*s = swap(size)
	return nil
}

// Filter selects an existing flavor.
type Filter struct {
	Name  *string `json:"name,omitempty" doc:"Exact name."`
	RAM   *int    `json:"ram,omitempty" rule:"min=1" doc:"Memory in MiB."`
	Vcpus *int    `json:"vcpus,omitempty" rule:"min=1" doc:"Number of virtual CPUs."`
	Disk  *int    `json:"disk,omitempty" rule:"min=0" doc:"Size of the root disk in GiB."`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// Kind returns the kind Flavor. c may be nil if only the kind's rules are needed. An administrator's request must
// contain is_public, because otherwise Nova lists only the public flavors.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Flavor", Service: cloud.Compute, UniqueNames: true, Scope: kind.Offered,
			Unmark: "the mark is in the description: openstack flavor set --description <text> <id>",
			Doc: "The size of a server: CPUs, memory, disk (Nova). Everybody can use existing flavors, with managementPolicy unmanaged. Only an administrator can make one, in a cloud with API version 2.55. Nova can change only the description and the extra specs of a flavor. " +
				"So another size replaces the flavor, and the objects that refer to the flavor change, too. When a flavor is deleted, existing servers keep their size.",
		},
		Collection: define.Collection{Path: "flavors", Lists: []string{"flavors/detail?is_public=None"}, Field: "flavors", Singular: "flavor", UpdateBy: http.MethodPut,
			Microversion: "2.61"}, // 2.55: description, 2.61: extra_specs
		Mark:     mark.IdentityDescriptionPlace,
		Validate: validate, Create: create, Update: update, Unmark: unmark,
		Observe: func(s *state, live *kind.Live) { observe(c, s, live) },
	})
}
