// Package service is the kind Service: a service in the catalog (Keystone), in K-ORC's
// vocabulary.
package service

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a service. Field names and meanings are from K-ORC
// (api/v1alpha1/service_types.go).
type Spec struct {
	Name        *string `json:"name,omitempty" api:"name,named" rule:"min=1,max=255" doc:"Name in the cloud, which need not be unique; metadata.name if left out."`
	Description *string `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Type        string  `json:"type" api:"type" rule:"required,min=1,max=255" doc:"Type of the service, by which clients find it." example:"object-store"`
	Enabled     *bool   `json:"enabled,omitempty" api:"enabled" rule:"default=true" cuts:"clients cannot find the service here any more" doc:"Whether it is in the catalog."`
}

// More holds the fields of a service that only Keystone sets.
type More struct{}

// Filter selects an existing service.
type Filter struct {
	Name *string `json:"name,omitempty" doc:"Exact name."`
	Type *string `json:"type,omitempty" doc:"Exact type."`
}

// FilterName is the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type state = define.State[Spec, More]

// Kind returns the kind Service. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Service", Service: cloud.Identity, Scope: kind.OfCloud,
			Loss: []string{"all its endpoints"}, Unmark: mark.UnmarkExtra("services", "service"),
			Doc: "A service in the catalog of the cloud (Keystone). Only an administrator can list and make services.",
		},
		Collection: define.Collection{Path: "services", Singular: "service", UpdateBy: http.MethodPatch},
		Mark:       mark.ExtraPlace,
		Observe: func(s *state, live *kind.Live) {
			define.ObserveIdentity(c, s, "", live)
			live.Facts.Name = s.Spec.Type // access rules refer to a service by its type
		},
		OfAgent: func(own cloud.Login) []string { return own.Services }, FoundBy: []string{"type", "enabled"},
	})
}
