package typed

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Envelope has the fields that every resource kind of K-ORC has around its resource.
// (k-orc/openstack-resource-controller, api/v1alpha1)
type Envelope[Resource, Filter any] struct {
	CloudCredentialsRef *kind.CredentialsRef `json:"cloudCredentialsRef,omitempty" doc:"The entry of clouds.yaml with which the object is made. If spec.credentialSecrets maps secretName to an entry, that one is used. If not, the one that cloudName names. Without spec.credentialSecrets and spec.clouds in the stack's configuration, the field has no effect."`
	ManagementPolicy    string               `json:"managementPolicy,omitempty" rule:"enum=managed|unmanaged,default=managed" doc:"managed: created, kept and deleted with this manifest. unmanaged: found by spec.import and never changed."`
	ManagedOptions      *ManagedOptions      `json:"managedOptions,omitempty" doc:"What happens to a managed object when its manifest is removed."`
	ResyncPeriod        *string              `json:"resyncPeriod,omitempty" doc:"Accepted and ignored, because the stack's driftCheck says when the cloud is checked."`
	Import              *ImportOf[Filter]    `json:"import,omitempty" doc:"The existing object that this manifest describes."`
	Resource            *Resource            `json:"resource,omitempty" doc:"The desired state of the object. Required unless unmanaged."`
}

// ManagedOptions says what happens to a managed object when its manifest is removed.
type ManagedOptions struct {
	OnDelete string `json:"onDelete,omitempty" rule:"enum=delete|detach,default=delete" doc:"delete: the object is deleted with its manifest. detach: the object is let go. It stays in the cloud, and is no longer managed."`
}

// ImportOf says which existing object is meant: exactly one of ID and Filter.
type ImportOf[Filter any] struct {
	ID     *string `json:"id,omitempty" doc:"The object's ID in the cloud."`
	Filter *Filter `json:"filter,omitempty" rule:"min=1" doc:"Properties of the object. Exactly one object of the cloud must have all of them."`
}

type resourceBody[S, F any] struct {
	Spec Envelope[S, F] `json:"spec" rule:"required"`
}

type flatBody[S any] struct {
	Spec S `json:"spec" rule:"required"`
}

func readFlat[S any](obj *manifest.Object, _ *kind.Desired) (*S, []manifest.Problem) {
	var body flatBody[S]
	problems := obj.Decode(&body)
	return &body.Spec, problems
}

func readEnvelope[S, F any](obj *manifest.Object, d *kind.Desired) (*S, []manifest.Problem) {
	var body resourceBody[S, F]
	if problems := obj.Decode(&body); len(problems) > 0 {
		return nil, problems
	}
	e, r := &body.Spec, &kind.Report{}
	d.Credentials, d.Unmanaged, d.SpecPath = e.CloudCredentialsRef, e.ManagementPolicy == "unmanaged", "spec.resource"
	switch {
	case d.Unmanaged && e.Import == nil:
		r.Problem("spec.import", "is missing", "name the existing object with import.id or import.filter")
	case d.Unmanaged && e.Resource != nil:
		r.Problem("spec.resource", "is given for an unmanaged object", "remove it, or set managementPolicy: managed")
	case !d.Unmanaged && e.Resource == nil:
		r.Problem("spec.resource", "is missing", "describe the object in spec.resource, or set managementPolicy: unmanaged and spec.import")
	}
	if e.Import != nil {
		d.Import = e.Import.read(r)
	}
	if d.Unmanaged && e.ManagedOptions != nil {
		r.Problem("spec.managedOptions", "is given for an unmanaged object", "remove it, or set managementPolicy: managed")
	}
	d.Options.Detach = e.ManagedOptions != nil && e.ManagedOptions.OnDelete == "detach"
	return e.Resource, r.Problems(obj)
}

func (i *ImportOf[Filter]) read(r *kind.Report) *kind.Import {
	switch {
	case i.ID == nil && i.Filter == nil:
		r.Problem("spec.import", "names nothing", "give import.id or import.filter")
	case i.ID != nil && i.Filter != nil:
		r.Problem("spec.import", "has both id and filter", "keep one of them")
	case i.ID != nil:
		return &kind.Import{ID: *i.ID}
	default:
		return &kind.Import{Filter: i.Filter}
	}
	return nil
}
