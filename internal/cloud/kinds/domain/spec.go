// Package domain is the kind Domain: a domain of Keystone, which contains users, groups and
// projects, in K-ORC's vocabulary.
//
// The mark is at the end of the description, because newer Keystones refuse unknown attributes of a domain. Keystone
// deletes a domain only if it is disabled, so it is disabled first. Keystone deletes the objects in a domain with it,
// and nobody in a disabled domain can log in. So the agent neither disables nor deletes a domain that contains users,
// groups, projects or roles of others.
package domain

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a domain. Field names and meanings are K-ORC's
// (api/v1alpha1/domain_types.go).
type Spec struct {
	Name        *string `json:"name,omitempty" api:"name,named,trimmed" rule:"min=1,max=64" doc:"Name in the cloud; metadata.name if left out."`
	Description *string `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Enabled     *bool   `json:"enabled,omitempty" api:"enabled" rule:"default=true" cuts:"nobody can log in to it any more" doc:"Whether anybody can log in to it and its projects."`
}

// More holds the fields of a domain that only Keystone sets.
type More struct{}

// Filter selects an existing domain.
type Filter struct {
	Name    *string `json:"name,omitempty" doc:"Exact name."`
	Enabled *bool   `json:"enabled,omitempty" doc:"Whether anybody can log in to it."`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// Kind returns the kind Domain. c may be nil if only the kind's rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Domain", Service: cloud.Identity, UniqueNames: true, Scope: kind.OfCloud,
			HoldsData: true, Loss: []string{"all users, groups and projects in it", "access to the objects of those projects in other services, which stay in the cloud without a project"},
			Unmark: "openstack domain set --description <text> <id>",
			Doc:    "A domain of the cloud's users and projects (Keystone). Only an administrator can list and create domains.",
		},
		Collection: define.Collection{Path: "domains", Singular: "domain", UpdateBy: http.MethodPatch},
		Mark:       mark.IdentityDescriptionPlace,
		Observe:    func(s *state, live *kind.Live) { define.ObserveIdentity(c, s, "", live) },
		Update:     update,
		Delete:     remove,
		OfAgent:    func(own cloud.Login) []string { return own.Domains }, FoundBy: []string{"name", "enabled"},
	})
}
