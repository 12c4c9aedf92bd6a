// Package project is the kind Project: a project of the cloud (Keystone), in
// K-ORC's vocabulary. It finds projects that the credentials have a role in;
// making them is an administrator's work and not done here.
package project

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a project would be. Field names and meanings are K-ORC's
// (api/v1alpha1/project_types.go). It is known so that such a manifest is
// refused with the right words.
type Spec struct {
	Name        *string  `json:"name,omitempty" rule:"min=1,max=64" doc:"Name in the cloud; metadata.name if left out."`
	Description *string  `json:"description,omitempty" rule:"min=1,max=65535" doc:"Free text."`
	Enabled     *bool    `json:"enabled,omitempty" rule:"default=true" doc:"Whether anybody can log in to it."`
	Tags        []string `json:"tags,omitempty" rule:"max=80" doc:"Tags."`
}

// Filter says which existing project is meant.
type Filter struct {
	Name            *string `json:"name,omitempty" doc:"Exact name."`
	cloud.TagFilter `json:",inline"`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

// State is a project as Keystone shows it.
type State struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	DomainID    string   `json:"domain_id"`
	Enabled     bool     `json:"enabled"`
	Tags        []string `json:"tags"`
}

type rules struct{}

// Kind is the kind Project over c, which may be nil where only rules are
// needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "Project", Service: cloud.Identity, ImportOnly: true,
		Doc: "A project of the cloud (Keystone), to be named by projectRef. Only existing projects can be used: managementPolicy unmanaged.",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

func (rules) Validate(_ *Spec, r *kind.Report) {
	r.Problem("spec.resource", "asks for a project to be made, which is not supported",
		"let an administrator make it, and set managementPolicy: unmanaged with spec.import.filter.name")
}

func (rules) Diff(kind.Want[Spec], *State, *kind.Changes) {}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	return cloud.Is(w.Spec.Name, have.Name) && w.Spec.TagFilter.Match(have.Tags)
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	DomainID    string   `json:"domainID,omitempty"`
	Enabled     bool     `json:"enabled"`
	Tags        []string `json:"tags,omitempty"`
}

func (rules) Status(s *State) any {
	return Observed{Name: s.Name, Description: s.Description, DomainID: s.DomainID, Enabled: s.Enabled, Tags: s.Tags}
}

type driver struct{ c *cloud.Client }

// List reads the projects in which the user has a role. Everybody may ask for
// those.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	list, err := cloud.List[State](ctx, d.c, cloud.Call{Service: cloud.Identity, Path: "auth/projects"}, "projects")
	if err != nil {
		return nil, err
	}
	out := make([]kind.Live[*State], len(list))
	for i := range list {
		s := &list[i]
		out[i] = kind.Live[*State]{ID: s.ID, Name: s.Name, Phase: kind.Ready, State: s}
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
