// Package dnszone is the kind DNSZone: a zone of the domain name system (Designate). The record sets of the zone are
// another kind, DNSRecordSet.
package dnszone

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a zone. Values are Designate's
// (designate/objects/zone.py, schemas/v2/zone.yaml).
type Spec struct {
	Name        string            `json:"name" api:"name,named" rule:"required,immutable,format=domain" doc:"Name of the zone, with a final dot." example:"example.org."`
	Description *string           `json:"description,omitempty" api:"description,empty" rule:"lines,max=58" doc:"Free text. Designate accepts 160 characters, including the owner mark at the end."`
	Type        *string           `json:"type,omitempty" api:"type" rule:"immutable,enum=PRIMARY|SECONDARY,default=PRIMARY" doc:"PRIMARY: this cloud has the records. SECONDARY: the records are copied from masters."`
	Email       *string           `json:"email,omitempty" api:"email" rule:"max=255,pattern=^[^@\\s]+@[^@\\s]+$" doc:"E-mail address of the person responsible for the zone. Required for a PRIMARY zone." example:"hostmaster@example.org"`
	TTL         *int              `json:"ttl,omitempty" api:"ttl" rule:"min=1,max=2147483647" doc:"Seconds for which clients may store an answer, for record sets without a ttl; the cloud decides if left out."`
	Masters     []string          `json:"masters,omitempty" api:"masters,set,empty" rule:"max=16" doc:"Name servers from which a SECONDARY zone is copied, with a port if it is not 53."`
	Attributes  map[string]string `json:"attributes,omitempty" api:"attributes" doc:"Attributes by which the cloud chooses the name servers of a new zone; not compared if left out."`
}

// More holds the fields of a zone that only Designate sets.
type More struct {
	Status    string     `json:"status" api:"status"`
	Action    string     `json:"action" api:"action"`
	Serial    int        `json:"serial" api:"serial"`
	PoolID    string     `json:"poolID" api:"pool_id"`
	ProjectID string     `json:"projectID" api:"project_id"`
	CreatedAt table.Time `json:"createdAt" api:"created_at"`
	UpdatedAt table.Time `json:"updatedAt" api:"updated_at"`
}

// Filter selects an existing zone.
type Filter struct {
	Name  *string `json:"name,omitempty" doc:"Exact name, with a final dot."`
	Email *string `json:"email,omitempty" doc:"Exact e-mail address of the person responsible for the zone."`
	Type  string  `json:"type,omitempty" rule:"enum=PRIMARY|SECONDARY" doc:"Type of the zone: PRIMARY or SECONDARY."`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind returns the kind DNSZone. c may be nil if only the kind's rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "DNSZone", Service: cloud.DNS, UniqueNames: true,
			HoldsData: true, Loss: []string{"all record sets in it"}, Unmark: "openstack zone set --description <text> <id>",
			Doc: "A zone of the domain name system (Designate).",
		},
		Collection: define.Collection{Path: "zones", UpdateBy: http.MethodPatch, Project: "project_id"},
		Mark:       mark.DescriptionPlace,
		Overrides:  []table.Override[Spec, More]{{Field: "masters", Compare: compareMasters}},
		Stated:     func(s *Spec) kind.Facts { return kind.Facts{Name: s.Name} },
		Validate:   validate, Observe: observe, Delete: remove, QuotaNeeded: define.One[Spec](cloud.DNS, "zones"),
	})
}
