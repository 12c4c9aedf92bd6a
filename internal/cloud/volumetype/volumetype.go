// Package volumetype is the kind VolumeType: what kind of storage a volume is
// on (Cinder), in K-ORC's vocabulary. It finds volume types that exist; making
// them is an administrator's work and not done here.
package volumetype

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a volume type would be. Field names and meanings are K-ORC's
// (api/v1alpha1/volumetype_types.go). It is known so that such a manifest is
// refused with the right words.
type Spec struct {
	Name        *string           `json:"name,omitempty" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description *string           `json:"description,omitempty" rule:"min=1,max=255" doc:"Free text."`
	ExtraSpecs  []cloud.NameValue `json:"extraSpecs,omitempty" rule:"max=64" doc:"Properties that the storage understands."`
	IsPublic    *bool             `json:"isPublic,omitempty" rule:"default=true" doc:"Whether every project can use it."`
}

// Filter says which existing volume type is meant.
type Filter struct {
	Name        *string `json:"name,omitempty" doc:"Exact name."`
	Description *string `json:"description,omitempty" doc:"Exact description."`
	IsPublic    *bool   `json:"isPublic,omitempty" doc:"Whether every project can use it."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

// State is a volume type as Cinder shows it.
type State struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description *string           `json:"description"`
	IsPublic    bool              `json:"is_public"`
	ExtraSpecs  map[string]string `json:"extra_specs"`
}

type rules struct{}

// Kind is the kind VolumeType over c, which may be nil where only rules are
// needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "VolumeType", Service: cloud.BlockStorage, UniqueNames: true, ImportOnly: true,
		Doc: "What kind of storage a volume is on (Cinder). Only existing types can be used: managementPolicy unmanaged.",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

func (rules) Validate(_ *Spec, r *kind.Report) {
	r.Problem("spec.resource", "asks for a volume type to be made, which is not supported",
		"let an administrator make it, and set managementPolicy: unmanaged with spec.import.filter.name")
}

func (rules) Diff(kind.Want[Spec], *State, *kind.Changes) {}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	f := w.Spec
	return cloud.Is(f.Name, have.Name) && cloud.Is(f.Description, cloud.Or(have.Description, "")) && cloud.Is(f.IsPublic, have.IsPublic)
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	ExtraSpecs  []cloud.NameValue `json:"extraSpecs,omitempty"`
	IsPublic    bool              `json:"isPublic"`
}

func (rules) Status(s *State) any {
	return Observed{Name: s.Name, Description: cloud.Or(s.Description, ""), ExtraSpecs: cloud.NameValues(s.ExtraSpecs), IsPublic: s.IsPublic}
}

type driver struct{ c *cloud.Client }

// List reads the volume types that the project can use.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	list, err := cloud.List[State](ctx, d.c, cloud.Call{Service: cloud.BlockStorage, Path: "types"}, "volume_types")
	if err != nil {
		return nil, err
	}
	out := make([]kind.Live[*State], len(list))
	for i := range list {
		s := &list[i]
		out[i] = kind.Live[*State]{ID: s.ID, Name: s.Name, Phase: kind.Ready, State: s, Attr: map[string]string{"name": s.Name}}
	}
	return out, nil
}

func (driver) Create(context.Context, kind.Want[Spec]) (kind.Live[*State], error) {
	return kind.Live[*State]{}, cloud.ErrImportOnly
}

func (driver) Update(context.Context, kind.Want[Spec], kind.Live[*State], []kind.Change) error {
	return cloud.ErrImportOnly
}

func (driver) Delete(context.Context, kind.Live[*State]) (bool, error) {
	return false, cloud.ErrImportOnly
}
