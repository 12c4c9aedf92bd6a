// Package flavor is the kind Flavor: the size of a server (Nova), in K-ORC's
// vocabulary. It finds flavors that exist; making them is an administrator's
// work and not done here.
package flavor

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a flavor would be. Field names and meanings are K-ORC's
// (api/v1alpha1/flavor_types.go). It is known so that such a manifest is
// refused with the right words.
type Spec struct {
	Name        *string           `json:"name,omitempty" rule:"immutable,min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	ID          string            `json:"id,omitempty" rule:"immutable,max=255" doc:"ID in the cloud; the cloud chooses if left out."`
	Description *string           `json:"description,omitempty" rule:"immutable,min=1,max=65535" doc:"Free text."`
	RAM         int               `json:"ram" rule:"required,immutable,min=1" doc:"Memory in MiB."`
	Vcpus       int               `json:"vcpus" rule:"required,immutable,min=1" doc:"Number of virtual CPUs."`
	Disk        int               `json:"disk" rule:"required,immutable,min=0" doc:"Size of the root disk in GiB; 0 is as large as the image."`
	Swap        int               `json:"swap,omitempty" rule:"immutable,min=0,default=0" doc:"Size of the swap disk in MiB."`
	Ephemeral   int               `json:"ephemeral,omitempty" rule:"immutable,min=0,default=0" doc:"Size of the scratch disk in GiB."`
	IsPublic    *bool             `json:"isPublic,omitempty" rule:"immutable,default=true" doc:"Whether every project can use it."`
	ExtraSpecs  []cloud.NameValue `json:"extraSpecs,omitempty" rule:"max=128" doc:"Properties that the scheduler and the hypervisor understand."`
}

// Filter says which existing flavor is meant.
type Filter struct {
	Name  *string `json:"name,omitempty" doc:"Exact name."`
	RAM   *int    `json:"ram,omitempty" rule:"min=1" doc:"Memory in MiB."`
	Vcpus *int    `json:"vcpus,omitempty" rule:"min=1" doc:"Number of virtual CPUs."`
	Disk  *int    `json:"disk,omitempty" rule:"min=0" doc:"Size of the root disk in GiB."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

// State is a flavor as Nova shows it. Swap is left out: Nova before 2.75 says
// "" instead of 0.
type State struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description *string           `json:"description"`
	RAM         int               `json:"ram"`
	Vcpus       int               `json:"vcpus"`
	Disk        int               `json:"disk"`
	Ephemeral   int               `json:"OS-FLV-EXT-DATA:ephemeral"`
	IsPublic    bool              `json:"os-flavor-access:is_public"`
	Swap        any               `json:"swap"` // a number, or "" for none before 2.75
	ExtraSpecs  map[string]string `json:"extra_specs"`
}

type rules struct{}

// Kind is the kind Flavor over c, which may be nil where only rules are
// needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "Flavor", Service: cloud.Compute, UniqueNames: true, ImportOnly: true,
		Doc: "The size of a server: CPUs, memory, disk (Nova). Only existing flavors can be used: managementPolicy unmanaged.",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

func (rules) Validate(_ *Spec, r *kind.Report) {
	r.Problem("spec.resource", "asks for a flavor to be made, which is not supported",
		"let an administrator make it, and set managementPolicy: unmanaged with spec.import.filter.name")
}

func (rules) Diff(kind.Want[Spec], *State, *kind.Changes) {}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	f := w.Spec
	return cloud.Is(f.Name, have.Name) && cloud.Is(f.RAM, have.RAM) && cloud.Is(f.Vcpus, have.Vcpus) && cloud.Is(f.Disk, have.Disk)
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	RAM         int               `json:"ram"`
	Vcpus       int               `json:"vcpus"`
	Disk        int               `json:"disk"`
	Ephemeral   int               `json:"ephemeral"`
	IsPublic    bool              `json:"isPublic"`
	Swap        int               `json:"swap"`
	ExtraSpecs  []cloud.NameValue `json:"extraSpecs,omitempty"`
}

func (rules) Status(s *State) any {
	swap, _ := s.Swap.(float64)
	return Observed{Name: s.Name, Swap: int(swap), Description: cloud.Or(s.Description, ""), RAM: s.RAM, Vcpus: s.Vcpus, Disk: s.Disk,
		Ephemeral: s.Ephemeral, IsPublic: s.IsPublic, ExtraSpecs: cloud.NameValues(s.ExtraSpecs)}
}

type driver struct{ c *cloud.Client }

// List reads the flavors that the project can use.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	version, err := d.c.Microversion(ctx, cloud.Compute, "2.61") // 2.55: description, 2.61: extra_specs
	if err != nil {
		return nil, err
	}
	list, err := cloud.List[State](ctx, d.c, cloud.Call{Service: cloud.Compute, Path: "flavors/detail", Microversion: version}, "flavors")
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
