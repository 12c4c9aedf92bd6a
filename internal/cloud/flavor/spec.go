// Package flavor is the kind Flavor: the size of a server (Nova), in K-ORC's
// vocabulary. It finds flavors that exist; making them is an administrator's
// work and not done here.
package flavor

import (
	"encoding/json"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a flavor would be. Field names and meanings are K-ORC's
// (api/v1alpha1/flavor_types.go). It is known so that such a manifest is
// refused with the right words.
type Spec struct {
	Name        *string            `json:"name,omitempty" api:"name,named" rule:"immutable,min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	ID          string             `json:"id,omitempty" rule:"immutable,max=255" doc:"ID in the cloud; the cloud chooses if left out."`
	Description *string            `json:"description,omitempty" api:"description" rule:"immutable,min=1,max=65535" doc:"Free text."`
	RAM         int                `json:"ram" api:"ram" rule:"required,immutable,min=1" doc:"Memory in MiB."`
	Vcpus       int                `json:"vcpus" api:"vcpus" rule:"required,immutable,min=1" doc:"Number of virtual CPUs."`
	Disk        int                `json:"disk" api:"disk" rule:"required,immutable,min=0" doc:"Size of the root disk in GiB; 0 is as large as the image."`
	Swap        int                `json:"swap,omitempty" rule:"immutable,min=0,default=0" doc:"Size of the swap disk in MiB."`
	Ephemeral   int                `json:"ephemeral,omitempty" rule:"immutable,min=0,default=0" doc:"Size of the scratch disk in GiB."`
	IsPublic    *bool              `json:"isPublic,omitempty" api:"os-flavor-access:is_public" rule:"immutable,default=true" doc:"Whether every project can use it."`
	ExtraSpecs  []define.NameValue `json:"extraSpecs,omitempty" api:"extra_specs,pairs" rule:"max=128" doc:"Properties that the scheduler and the hypervisor understand."`
}

// More is what status shows of a flavor even where it is nothing.
type More struct {
	Swap      swap `json:"swap" api:"swap"`
	Ephemeral int  `json:"ephemeral" api:"OS-FLV-EXT-DATA:ephemeral"`
}

// swap is a size in MiB. Nova before 2.75 says "" for none.
type swap int

// UnmarshalJSON takes what is no number for none.
func (s *swap) UnmarshalJSON(text []byte) error {
	var size float64
	if json.Unmarshal(text, &size) == nil {
		*s = swap(size)
	}
	return nil
}

// Filter says which existing flavor is meant.
type Filter struct {
	Name  *string `json:"name,omitempty" doc:"Exact name."`
	RAM   *int    `json:"ram,omitempty" rule:"min=1" doc:"Memory in MiB."`
	Vcpus *int    `json:"vcpus,omitempty" rule:"min=1" doc:"Number of virtual CPUs."`
	Disk  *int    `json:"disk,omitempty" rule:"min=0" doc:"Size of the root disk in GiB."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind is the kind Flavor over c, which may be nil where only rules are
// needed.
func Kind(c *cloud.Client) kind.Kind {
	return define.Import(c, define.ImportKind[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Flavor", Service: cloud.Compute, UniqueNames: true,
			Doc: "The size of a server: CPUs, memory, disk (Nova). Only existing flavors can be used: managementPolicy unmanaged.",
		},
		Collection: define.Collection{Path: "flavors/detail", Field: "flavors", Microversion: "2.61"}, // 2.55: description, 2.61: extra_specs
		Making:     "a flavor to be made", Instead: "let an administrator make it",
	})
}
