// Package project is the kind Project: a project of the cloud (Keystone), in
// K-ORC's vocabulary. It finds projects that the credentials have a role in;
// making them is an administrator's work and not done here.
package project

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a project would be. Field names and meanings are K-ORC's
// (api/v1alpha1/project_types.go). It is known so that such a manifest is
// refused with the right words.
type Spec struct {
	Name        *string  `json:"name,omitempty" api:"name,named" rule:"min=1,max=64" doc:"Name in the cloud; metadata.name if left out."`
	Description *string  `json:"description,omitempty" api:"description" rule:"min=1,max=65535" doc:"Free text."`
	Enabled     *bool    `json:"enabled,omitempty" api:"enabled" rule:"default=true" doc:"Whether anybody can log in to it."`
	Tags        []string `json:"tags,omitempty" api:"tags,set" rule:"max=80" doc:"Tags."`
}

// More is what only Keystone says of a project.
type More struct {
	DomainID string `json:"domainID" api:"domain_id"`
}

// Filter says which existing project is meant.
type Filter struct {
	Name             *string `json:"name,omitempty" doc:"Exact name."`
	define.TagFilter `json:",inline"`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind is the kind Project over c, which may be nil where only rules are needed. It
// lists the projects in which the user has a role, which everybody may ask for.
func Kind(c *cloud.Client) kind.Kind {
	return define.Import(c, define.ImportKind[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Project", Service: cloud.Identity,
			Doc: "A project of the cloud (Keystone), to be named by projectRef. Only existing projects can be used: managementPolicy unmanaged.",
		},
		Collection: define.Collection{Path: "auth/projects", Field: "projects"},
		Making:     "a project to be made", Instead: "let an administrator make it",
		Match: func(f *Filter, s *define.PlainState[Spec, More]) bool { return f.MatchTags(s.Spec.Tags) },
	})
}
