// Package domain is the kind Domain: a domain of Keystone, in which users, groups and
// projects are, in K-ORC's vocabulary.
//
// A domain bears the mark at the end of its description: newer Keystones refuse other
// attributes for it than their own. It is disabled before it is deleted, as Keystone
// asks. What is in it would go with it, and nobody in a disabled one can log in: so neither
// is done while users, groups, projects or roles are in it that the stack did not make.
package domain

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what a domain shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/domain_types.go).
type Spec struct {
	Name        *string `json:"name,omitempty" api:"name,named,trimmed" rule:"min=1,max=64" doc:"Name in the cloud; metadata.name if left out."`
	Description *string `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Enabled     *bool   `json:"enabled,omitempty" api:"enabled" rule:"default=true" cuts:"nobody can log in to it any more" doc:"Whether anybody can log in to it and its projects."`
}

// More is what only Keystone says of a domain.
type More struct{}

// Filter says which existing domain is meant.
type Filter struct {
	Name    *string `json:"name,omitempty" doc:"Exact name."`
	Enabled *bool   `json:"enabled,omitempty" doc:"Whether anybody can log in to it."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// Kind is the kind Domain over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Domain", Service: cloud.Identity, UniqueNames: true, Scope: kind.OfCloud,
			HoldsData: true, Loss: []string{"all users, groups and projects in it", "the way to what other services hold for those projects, which stays"},
			Unmark: "openstack domain set --description <text> <id>",
			Doc:    "A domain of the cloud's users and projects (Keystone). Only an administrator can list and make them.",
		},
		Collection: define.Collection{Path: "domains", Singular: "domain", UpdateBy: http.MethodPatch},
		Mark:       mark.IdentityDescriptionPlace,
		Observe:    func(s *state, live *kind.Live) { define.ObserveIdentity(c, s, "", live) },
		Update:     update,
		Delete:     remove,
		OfAgent:    func(own cloud.Login) []string { return own.Domains }, FoundBy: []string{"name", "enabled"},
	})
}
