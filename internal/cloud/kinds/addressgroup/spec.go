// Package addressgroup is the kind AddressGroup: a set of networks that rules of security
// groups refer to by one name (Neutron).
//
// Address groups have no tags, so the owner mark is at the end of the description.
package addressgroup

import (
	"context"
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of an address group. Values are Neutron's (neutron-lib
// api/definitions/address_group.py).
type Spec struct {
	Name              *string  `json:"name,omitempty" api:"name,named" rule:"max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description       *string  `json:"description,omitempty" api:"description,empty" rule:"lines,max=140" doc:"Free text. Neutron accepts 255 characters, including the owner mark at the end."`
	Addresses         []string `json:"addresses,omitempty" api:"addresses,set,empty" rule:"max=1024,unique,format=cidr" cuts:"rules that name this group allow no traffic any more" doc:"The networks: 203.0.113.0/24, or 203.0.113.7/32 for one address."`
	define.Shares     `json:",inline"`
	define.ProjectRef `json:",inline"`
}

// More holds the fields of an address group that only Neutron sets.
type More struct {
	ProjectID string `json:"projectID" api:"project_id"`
}

// Filter selects an existing address group.
type Filter struct {
	define.NameFilter    `json:",inline"`
	define.ProjectFilter `json:",inline"`
}

// Kind returns the kind AddressGroup. c may be nil if only the kind's rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{Group: define.WorkloadGroup, Version: "v1alpha1", Kind: "AddressGroup", Service: cloud.Network, Rare: true,
			Unmark: "openstack address group set --description <text> <id>",
			Doc:    "A list of networks that rules of security groups can name (Neutron)."},
		Collection: define.Collection{Path: "address-groups", Field: "address_groups", Singular: "address_group", UpdateBy: http.MethodPut, Project: "project_id", Extension: "address-group"},
		Mark:       mark.DescriptionPlace,
		Sharing:    define.Sharing{Type: "address_group", Extension: "rbac-address-group"},
		Update:     update,
	})
}

// update adds the new networks first and then removes the old ones. It writes the other fields, with the mark, last. The
// bodies of the requests for networks are not wrapped in the name of the resource.
func update(ctx context.Context, d *define.Driver[Spec, Filter, More], n define.Change[Spec, More]) error {
	delete(n.Fields, "addresses")
	if kind.Has(n.Changes, table.Path("addresses")) {
		want, have := networks(n.Want.Spec.Addresses), networks(n.Have.State.Spec.Addresses)
		for _, edit := range []struct {
			how    string
			of, in []string
		}{{"add", want, have}, {"remove", have, want}} {
			list := slices.DeleteFunc(slices.Clone(edit.of), func(a string) bool { return slices.Contains(edit.in, a) })
			if len(list) == 0 {
				continue
			}
			err := d.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: d.Path(n.Have.ID) + "/" + edit.how + "_addresses", Body: map[string]any{"addresses": list}})
			if err != nil {
				return err
			}
		}
	}
	return d.Write(ctx, n)
}

// networks normalizes the spelling of networks.
func networks(list []string) []string {
	out := make([]string, len(list))
	for i, a := range list {
		out[i] = table.Network(a)
	}
	return out
}
