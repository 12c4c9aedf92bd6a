// Package endpoint is the kind Endpoint: the address of a service of the catalog
// (Keystone), in K-ORC's vocabulary.
//
// Keystone gives an endpoint no name and no description, but stores additional attributes. The mark and the description
// are additional attributes.
package endpoint

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of an endpoint. Field names and meanings are K-ORC's
// (api/v1alpha1/endpoint_types.go). The field region is not in K-ORC.
type Spec struct {
	Description *string `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	Enabled     *bool   `json:"enabled,omitempty" api:"enabled" rule:"default=true" cuts:"clients cannot find the service here any more" doc:"Whether it is in the catalog."`
	Interface   string  `json:"interface" api:"interface" rule:"required,enum=admin|internal|public" doc:"Users of the endpoint: everybody, the cloud's own network, or administrators."`
	URL         string  `json:"url" api:"url" rule:"required,min=1,max=225,pattern=^[a-zA-Z0-9+.-]+:.+" doc:"Address of the service." example:"https://files.example.org/v1"`
	ServiceRef  string  `json:"serviceRef" api:"service_id" show:"serviceID" rule:"required,immutable,min=1" ref:"Service" doc:"Service at this endpoint."`
	Region      *string `json:"region,omitempty" api:"region_id" rule:"min=1,max=255" doc:"ID of its region in the catalog; not managed if left out."`
}

// More holds the fields of an endpoint that only Keystone sets.
type More struct{}

// Filter selects an existing endpoint.
type Filter struct {
	Interface  *string `json:"interface,omitempty" rule:"enum=admin|internal|public" doc:"Users of the endpoint: everybody, the cloud's own network, or administrators."`
	ServiceRef string  `json:"serviceRef,omitempty" ref:"Service" doc:"Service at this endpoint."`
	URL        *string `json:"url,omitempty" doc:"Exact address."`
	Region     *string `json:"region,omitempty" doc:"ID of the region that it is in."`
	Enabled    *bool   `json:"enabled,omitempty" doc:"Whether it is in the catalog."`
}

type state = define.State[Spec, More]

// Kind returns the kind Endpoint. c may be nil if only the kind's rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Endpoint", Service: cloud.Identity, Scope: kind.OfCloud,
			Unmark: mark.UnmarkExtra("endpoints", "endpoint"),
			Doc:    "The address of a service in the catalog (Keystone). Only an administrator can list and make endpoints.",
		},
		Collection: define.Collection{Path: "endpoints", Singular: "endpoint", UpdateBy: http.MethodPatch},
		Mark:       mark.ExtraPlace,
		Observe: func(s *state, live *kind.Live) {
			define.ObserveIdentity(c, s, "", live)
			live.Name, live.Uses = "", append(live.Uses, s.Spec.ServiceRef)
		},
		OfAgent: func(own cloud.Login) []string { return own.Endpoints }, FoundBy: []string{"interface", "url", "region_id", "enabled"},
	})
}
