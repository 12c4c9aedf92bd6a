// Package roleassignment is the kind RoleAssignment: a role that a user or a group has in
// a project or a domain (Keystone), in K-ORC's vocabulary.
//
// Keystone stores nothing about an assignment except its references. Therefore another
// object has the mark, as an attribute: the assignment's project, or else its user or
// its group. That object must itself have the mark of this stack. The mark names the
// whole assignment. It is written before the role is given, and removed after the role is
// revoked. If the object is deleted, its mark disappears with it, and so does the
// assignment.
//
// If project, user and group are all imported, the agent may change none of them, and the
// assignment is refused. An existing assignment without a mark is not adopted
// automatically: adopt it by spec.import.id. The kind does not see assignments that a
// project inherits, or assignments of the system.
package roleassignment

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec says who gets which role, and in which project or domain. Field names and meanings
// are from K-ORC (api/v1alpha1/roleassignment_types.go).
type Spec struct {
	RoleRef    string `json:"roleRef" api:"role" show:"roleID" rule:"required,immutable,min=1" ref:"Role" doc:"Role that is given."`
	UserRef    string `json:"userRef,omitempty" api:"user" show:"userID" rule:"immutable" ref:"User" doc:"User who gets the role; or use groupRef." example:"example"`
	GroupRef   string `json:"groupRef,omitempty" api:"group" show:"groupID" rule:"immutable" ref:"Group" doc:"Group that gets the role; or use userRef."`
	ProjectRef string `json:"projectRef,omitempty" api:"project" show:"projectID" rule:"immutable" ref:"Project" doc:"Project in which the role applies; or use domainRef." example:"example"`
	DomainRef  string `json:"domainRef,omitempty" api:"domain" show:"domainID" rule:"immutable" ref:"Domain" doc:"Domain in which the role applies; or use projectRef."`
}

// More is empty: Keystone shows no further attributes of an assignment.
type More struct{}

// Filter selects an existing assignment.
type Filter struct {
	RoleRef    string `json:"roleRef,omitempty" ref:"Role" doc:"Role that is given."`
	UserRef    string `json:"userRef,omitempty" ref:"User" doc:"User who has the role."`
	GroupRef   string `json:"groupRef,omitempty" ref:"Group" doc:"Group that has the role."`
	ProjectRef string `json:"projectRef,omitempty" ref:"Project" doc:"Project in which the role applies."`
	DomainRef  string `json:"domainRef,omitempty" ref:"Domain" doc:"Domain in which the role applies."`
}

// Kind is the kind RoleAssignment over c, which may be nil where only rules are needed.
// The ID of an assignment is its path: projects/P/users/U/roles/R.
func Kind(c *cloud.Client) *kind.Kind {
	r, d := rules{}, driver{c}
	return typed.Kind[Spec, Filter, state]{
		Info: kind.Info{
			Lists: []string{cloud.Identity + "/role_assignments"}, Joins: []string{cloud.Identity + "/projects", cloud.Identity + "/users", cloud.Identity + "/groups"},
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "RoleAssignment", Service: cloud.Identity, UniqueNames: true, IDIsName: true, Scope: kind.OfCloud,
			Loss:   []string{"the access that it gives"},
			Unmark: "the mark is the attribute " + notePrefix + "… of its project, user or group: set that attribute to null with PATCH",
			Doc:    "A role that a user or a group has in a project or a domain (Keystone). Only an administrator can list and assign roles. The same stack must manage the project, the user or the group, because an assignment in Keystone has no field for the owner mark.",
		},
		Validate: r.Validate, Name: r.Name, Diff: r.Diff, Match: r.Match, Status: r.Status, Export: r.Export,
		StatusID: func(string) string { return "" }, // Keystone gives assignments no ID, so status shows none, like K-ORC
		List:     d.List, Create: d.Create, Update: d.Update, Delete: d.Delete, Unmark: d.Unmark,
	}.Resource()
}
