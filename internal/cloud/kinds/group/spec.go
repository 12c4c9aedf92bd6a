// Package group is the kind Group: users who get roles together (Keystone), in K-ORC's vocabulary. The members of a
// group are not managed.
package group

import (
	"context"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the desired state of a group. Field names and meanings are K-ORC's
// (api/v1alpha1/group_types.go).
type Spec struct {
	Name        *string `json:"name,omitempty" api:"name,named,trimmed" rule:"min=1,max=64" doc:"Name in the cloud; metadata.name if left out."`
	Description *string `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	DomainRef   string  `json:"domainRef,omitempty" api:"domain_id" show:"domainID" rule:"immutable" ref:"Domain" doc:"Domain of the group; the default domain if left out."`
}

// More holds the fields of a group that only Keystone sets.
type More struct{}

// Filter selects an existing group.
type Filter struct {
	Name      *string `json:"name,omitempty" doc:"Exact name."`
	DomainRef string  `json:"domainRef,omitempty" ref:"Domain" doc:"Domain that it is in."`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// Kind returns the kind Group. c may be nil if only the kind's rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "Group", Service: cloud.Identity, Scope: kind.OfCloud,
			Loss: []string{"the list of its members", "the roles that its members have through the group"}, Unmark: mark.UnmarkExtra("groups", "group"),
			Doc: "A group of users. Its members get the roles of the group (Keystone). Only an administrator can list and make groups. Members are not managed.",
		},
		Collection: define.Collection{Path: "groups", Singular: "group", UpdateBy: http.MethodPatch},
		Mark:       mark.ExtraPlace,
		Name: func(w typed.Want[Spec], name string) string {
			return define.WantedInDomain(name, w.Spec.DomainRef, w.Ref)
		},
		Observe: func(s *state, live *kind.Live) { define.ObserveIdentity(c, s, s.Spec.DomainRef, live) },
		Delete:  remove,
	})
}

// remove refuses to delete a group that contains the agent's own user, who may have roles through it.
func remove(ctx context.Context, d driver, have typed.Live[state]) (gone bool, err error) {
	member, err := d.Client.InGroup(ctx, have.ID)
	if member {
		err = define.KeepOwn(have.ID, "group with the user", have.ID)
	}
	if err != nil {
		return false, err
	}
	return d.Remove(ctx, have.ID)
}
