// Package project is the kind Project: a project of the cloud (Keystone), in K-ORC's
// vocabulary. Everybody can find the projects in which the credentials have a role;
// making them is an administrator's work.
//
// The mark is an attribute of its own: Keystone's tags can hold no slash.
package project

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is what a project shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/project_types.go).
type Spec struct {
	Name        *string  `json:"name,omitempty" api:"name,named,trimmed" rule:"min=1,max=64" doc:"Name in the cloud; metadata.name if left out."`
	Description *string  `json:"description,omitempty" api:"description,empty" rule:"lines,max=65535" doc:"Free text."`
	DomainRef   string   `json:"domainRef,omitempty" api:"domain_id" show:"domainID" rule:"immutable" ref:"Domain" doc:"Domain that it is in; the default one if left out."`
	Enabled     *bool    `json:"enabled,omitempty" api:"enabled" rule:"default=true" cuts:"nobody can log in to it any more" doc:"Whether anybody can log in to it."`
	Tags        []string `json:"tags,omitempty" api:"tags,set,empty" rule:"max=80,unique" doc:"Tags, without commas and slashes."`
}

// More is what only Keystone says of a project.
type More struct {
	ParentID string `json:"parentID" api:"parent_id"`
}

// Filter says which existing project is meant.
type Filter struct {
	Name             *string `json:"name,omitempty" doc:"Exact name."`
	DomainRef        string  `json:"domainRef,omitempty" ref:"Domain" doc:"Domain that it is in."`
	define.TagFilter `json:",inline"`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type state = define.State[Spec, More]

// Kind is the kind Project over c, which may be nil where only rules are needed. It
// lists all projects, or those in which the user has a role: that, everybody may.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Project", Service: cloud.Identity, Scope: kind.OfCloud,
			HoldsData: true, Loss: []string{"all roles in it", "the way to what other services hold for it, which stays"},
			Unmark: "openstack project set --property " + mark.ExtraKey + "= <id>",
			Doc:    "A project of the cloud (Keystone), to be named by projectRef. Existing ones can be used by everybody who has a role in them, managementPolicy unmanaged; only an administrator can make one.",
		},
		Collection: define.Collection{Path: "projects", Own: "auth/projects", Singular: "project", UpdateBy: http.MethodPatch},
		Mark:       mark.ExtraPlace,
		Validate:   validate,
		Name: func(w typed.Want[Spec], name string) string {
			return define.WantedInDomain(name, w.Spec.DomainRef, w.Ref)
		},
		Observe: func(s *state, live *kind.Live) {
			define.ObserveIdentity(c, s, s.Spec.DomainRef, live)
			live.Facts.IsProject, live.Facts.Here = true, s.ID == c.ProjectID
		},
		OfAgent: func(own cloud.Login) []string { return []string{own.Project} }, FoundBy: []string{"name", "enabled"},
	})
}
