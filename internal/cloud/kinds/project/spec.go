// Package project is the kind Project: a project of the cloud (Keystone), in K-ORC's
// vocabulary. Every user can find the projects in which the credentials have a role.
// Only an administrator can create a project.
//
// The owner mark is a separate attribute, because Keystone's tags cannot contain a
// slash.
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

// Spec is the desired state of a project. Field names and meanings are from K-ORC
// (api/v1alpha1/project_types.go).
type Spec struct {
	Name        *string  `json:"name,omitempty" api:"name,named,trimmed" rule:"min=1,max=64" doc:"Name in the cloud; metadata.name if left out."`
	Description *string  `json:"description,omitempty" api:"description,empty" rule:"lines,max=65535" doc:"Free text."`
	DomainRef   string   `json:"domainRef,omitempty" api:"domain_id" show:"domainID" rule:"immutable" ref:"Domain" doc:"Domain of the project; the default domain if left out."`
	Enabled     *bool    `json:"enabled,omitempty" api:"enabled" rule:"default=true" cuts:"nobody can log in to it any more" doc:"Whether anybody can log in to it."`
	Tags        []string `json:"tags,omitempty" api:"tags,set,empty" rule:"max=80,unique" doc:"Tags, without commas and slashes."`
}

// More holds the fields of a project that only Keystone sets.
type More struct {
	ParentID string `json:"parentID" api:"parent_id"`
}

// Filter selects an existing project.
type Filter struct {
	Name             *string `json:"name,omitempty" doc:"Exact name."`
	DomainRef        string  `json:"domainRef,omitempty" ref:"Domain" doc:"Domain that it is in."`
	define.TagFilter `json:",inline"`
}

// FilterName is the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type state = define.State[Spec, More]

// Kind returns the kind Project. c may be nil where only its rules are needed. The
// kind lists all projects if the credentials allow that. Otherwise, it lists the
// projects in which the user has a role, which every user may list.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Project", Service: cloud.Identity, Scope: kind.OfCloud,
			HoldsData: true, Loss: []string{"all roles in it", "access to its objects in other services, which stay in the cloud without a project"},
			Unmark: "openstack project set --property " + mark.ExtraKey + "= <id>",
			Doc:    "A project of the cloud (Keystone), to which projectRef refers. Everybody with a role in an existing project can import that project, with managementPolicy unmanaged. Only an administrator can make one.",
		},
		Collection: define.Collection{Path: "projects", Own: "auth/projects", Singular: "project", UpdateBy: http.MethodPatch},
		Mark:       mark.ExtraPlace,
		Validate:   validate,
		Name: func(w typed.Want[Spec], name string) string {
			return define.WantedInDomain(name, w.Spec.DomainRef, w.Ref)
		},
		Observe: func(s *state, live *kind.Live) {
			define.ObserveIdentity(c, s, s.Spec.DomainRef, live)
			live.Facts.IsProject, live.Facts.OwnProject = true, s.ID == c.ProjectID
		},
		OfAgent: func(own cloud.Login) []string { return []string{own.Project} }, FoundBy: []string{"name", "enabled"},
	})
}
