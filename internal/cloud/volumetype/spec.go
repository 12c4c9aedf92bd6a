// Package volumetype is the kind VolumeType: what kind of storage a volume is
// on (Cinder), in K-ORC's vocabulary. It finds volume types that exist; making
// them is an administrator's work and not done here.
package volumetype

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a volume type would be. Field names and meanings are K-ORC's
// (api/v1alpha1/volumetype_types.go). It is known so that such a manifest is
// refused with the right words.
type Spec struct {
	Name        *string            `json:"name,omitempty" api:"name,named" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description *string            `json:"description,omitempty" api:"description" rule:"min=1,max=255" doc:"Free text."`
	ExtraSpecs  []define.NameValue `json:"extraSpecs,omitempty" api:"extra_specs,pairs" rule:"max=64" doc:"Properties that the storage understands."`
	IsPublic    *bool              `json:"isPublic,omitempty" api:"is_public" rule:"default=true" doc:"Whether every project can use it."`
}

// Filter says which existing volume type is meant.
type Filter struct {
	Name        *string `json:"name,omitempty" doc:"Exact name."`
	Description *string `json:"description,omitempty" doc:"Exact description."`
	IsPublic    *bool   `json:"isPublic,omitempty" doc:"Whether every project can use it."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind is the kind VolumeType over c, which may be nil where only rules are
// needed.
func Kind(c *cloud.Client) kind.Kind {
	return define.Import(c, define.ImportKind[Spec, Filter, struct{}]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "VolumeType", Service: cloud.BlockStorage, UniqueNames: true,
			Doc: "What kind of storage a volume is on (Cinder). Only existing types can be used: managementPolicy unmanaged.",
		},
		Collection: define.Collection{Path: "types", Field: "volume_types"},
		Making:     "a volume type to be made", Instead: "let an administrator make it",
	})
}
