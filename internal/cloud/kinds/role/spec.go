// Package role is the kind Role: the permissions that an assignment gives to a user or
// a group (Keystone), in K-ORC's vocabulary.
package role

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the desired state of a role. Field names and meanings are from K-ORC
// (api/v1alpha1/role_types.go).
type Spec struct {
	Name        *string `json:"name,omitempty" api:"name,named" rule:"min=1,max=64" doc:"Name in the cloud; metadata.name if left out."`
	Description *string `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	DomainRef   string  `json:"domainRef,omitempty" api:"domain_id" show:"domainID" rule:"immutable" ref:"Domain" doc:"Domain of the role; if left out, the role is for all domains."`
}

// More holds the fields of a role that only Keystone sets.
type More struct{}

// Filter selects an existing role.
type Filter struct {
	Name      *string `json:"name,omitempty" doc:"Exact name."`
	DomainRef string  `json:"domainRef,omitempty" ref:"Domain" doc:"Domain of the role."`
}

// FilterName is the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// Kind returns the kind Role. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Joins: []string{cloud.Identity + "/domains"},
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Role", Service: cloud.Identity, Scope: kind.OfCloud,
			Loss: []string{"all its assignments"}, Unmark: mark.UnmarkExtra("roles", "role"),
			Doc: "A role that users and groups can have in projects and domains (Keystone). Only an administrator can list and make roles.",
		},
		Collection: define.Collection{Path: "roles", Singular: "role", UpdateBy: http.MethodPatch},
		Mark:       mark.ExtraPlace,
		Lists:      lists,
		Name: func(w typed.Want[Spec], name string) string {
			return define.WantedInDomain(name, w.Spec.DomainRef, w.Ref)
		},
		Show: func(s *state, shown table.Shown) {
			if s.Spec.DomainRef == "" {
				shown["domainID"] = "" // a role of all domains; K-ORC shows an empty ID, too
			}
		},
		Observe: func(s *state, live *kind.Live) { define.ObserveIdentity(c, s, s.Spec.DomainRef, live) },
		OfAgent: func(own cloud.Login) []string { return own.Roles },
	})
}

// lists returns the paths that list the roles: one for the roles of all domains, and
// one for each domain. Keystone cannot list all roles in one request.
// (keystone/api/roles.py)
func lists(ctx context.Context, d driver) ([]string, error) {
	domains, err := cloud.List[table.Attributes](ctx, d.Client, cloud.Call{Service: cloud.Identity, Path: "domains"}, "domains")
	paths := []string{"roles"}
	for _, domain := range domains {
		var id string
		if err := json.Unmarshal(domain["id"], &id); err != nil {
			return nil, fmt.Errorf("ID of a domain: %w", err)
		}
		paths = append(paths, "roles?domain_id="+url.QueryEscape(id))
	}
	return paths, err
}
