// Package servergroup is the kind ServerGroup: servers that the scheduler puts on the same
// host, or on different hosts (Nova), in K-ORC's vocabulary.
//
// Nova stores only the name and the policy of a server group, and cannot change them.
// There is no description, no metadata and no tag. Therefore the owner mark is the end of
// the name, as in "web [stackreeve:prod:ServerGroup/web]". That mark does not contain a
// digest of the manifest that was last applied.
package servergroup

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of a server group. Field names and meanings are from K-ORC
// (api/v1alpha1/servergroup_types.go). Names must be shorter than in K-ORC, because the
// mark is a part of the name.
type Spec struct {
	Name   *string `json:"name,omitempty" api:"name,named" rule:"immutable,min=1,max=190" doc:"Name in the cloud; metadata.name if left out. The cloud shows the owner mark after the name."`
	Policy string  `json:"policy" api:"policy" rule:"required,immutable,enum=affinity|anti-affinity|soft-affinity|soft-anti-affinity" doc:"How the scheduler places the members."`
	Rules  *Rules  `json:"rules,omitempty" api:",inline" rule:"immutable" doc:"Details of the policy."`
}

// Rules are further rules of a policy.
type Rules struct {
	MaxServerPerHost int `json:"maxServerPerHost,omitempty" api:"rules,read=rules.max_server_per_host,empty" rule:"min=1" doc:"How many members may share a host, with the policy anti-affinity."`
}

// More holds the fields of a server group that only Nova sets. Before microversion 2.64 a
// group has a list of policies instead of policy and rules. Before 2.13 it has no project.
type More struct {
	ProjectID string   `json:"projectID" api:"project_id"`
	UserID    string   `json:"userID" api:"user_id"`
	Policies  []string `json:"policies" api:"policies" show:"-"`
}

// Filter selects an existing server group.
type Filter struct {
	Name *string `json:"name,omitempty" api:"-" doc:"Exact name."`
}

// FilterName is the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// withRules is the first microversion in which a group has one policy and rules.
const withRules = "2.64"

// Kind returns the kind ServerGroup. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "ServerGroup", Service: cloud.Compute, FixedMark: true,
			Unmark: "the mark is the end of the name, which Nova cannot change: openstack server group delete <id>",
			Doc:    "Servers that the scheduler puts on the same host, or on different hosts (Nova). Its name in the cloud ends in the owner mark, because a server group in Nova has no other field for it.",
		},
		Collection: define.Collection{Path: "os-server-groups", Field: "server_groups", Singular: "server_group", Microversion: withRules, Project: "project_id"},
		Mark:       mark.PlaceIn("name", unmarked, marked),
		Overrides:  []table.Override[Spec, More]{{Field: "rules", Write: writeRules}},
		Validate:   validate, Diff: noteKeep, Export: export, Match: match, Observe: observe, Create: create, Update: update,
		QuotaNeeded: define.One[Spec](cloud.Compute, "server_groups"), PerHost: perHost,
	})
}
