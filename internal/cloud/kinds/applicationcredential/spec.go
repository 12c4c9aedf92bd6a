// Package applicationcredential is the kind ApplicationCredential: a secret that stands
// for a user in one project (Keystone), in K-ORC's vocabulary.
//
// Keystone shows a secret that it has made once, and nothing can be done with it then
// that is safe: so the secret is the repository's, in a Secret, and Keystone is given
// it. In the answer it is not read, and nothing that is shown or logged has it.
//
// Keystone cannot change an application credential, nor does it keep more of one than
// it knows. So the mark and the fingerprint of the secret are the end of the description,
// and do not say what was last applied.
package applicationcredential

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is what an application credential shall be. Field names and meanings are K-ORC's
// (api/v1alpha1/applicationcredential_types.go); userRef need not be given.
type Spec struct {
	Name         *string      `json:"name,omitempty" api:"name,named" rule:"immutable,min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description  *string      `json:"description,omitempty" api:"description,empty" rule:"lines,immutable,max=255" doc:"Free text; the mark of the owner stands behind it."`
	UserRef      string       `json:"userRef,omitempty" api:"user_id,unwritten" show:"userID" rule:"immutable" ref:"User" doc:"User that it stands for, who must be the one whose credentials the agent has: Keystone lets nobody make one for others."`
	Unrestricted *bool        `json:"unrestricted,omitempty" api:"unrestricted" rule:"immutable,default=false" doc:"Whether others can be made with it."`
	SecretRef    string       `json:"secretRef" rule:"required,min=1" ref:"Secret" doc:"Secret whose key value holds what is logged in with. Another one makes a new application credential."`
	RoleRefs     []string     `json:"roleRefs,omitempty" rule:"max=256,unique,format=name" ref:"Role" doc:"Roles that it has, of those of the user in the project; all of them, and not compared, if left out."`
	AccessRules  []AccessRule `json:"accessRules,omitempty" rule:"immutable,max=256" doc:"Requests that can be made with it; all if left out."`
	ExpiresAt    *string      `json:"expiresAt,omitempty" doc:"When it ends, such as 2030-01-31T00:00:00Z; never if left out. Another time makes a new application credential."`
}

// AccessRule is a request that can be made.
type AccessRule struct {
	Path       string `json:"path" api:"path" rule:"required,max=225,pattern=^/" doc:"Path of the request; * stands for a part of it, ** for the rest." example:"/v2.1/servers"`
	Method     string `json:"method" api:"method" rule:"required,enum=DELETE|GET|HEAD|PATCH|POST|PUT" doc:"Its method."`
	ServiceRef string `json:"serviceRef,omitempty" api:"-" ref:"Service" doc:"Service that it is made to."`
	Service    string `json:"service,omitempty" api:"service" rule:"max=64" doc:"The same by its type, such as network: only an administrator can look up a Service."`
}

// More is what only Keystone says of an application credential.
type More struct {
	ProjectID   string       `json:"projectID" api:"project_id"`
	ExpiresAt   string       `json:"expiresAt" api:"expires_at"`
	Roles       []ShownRole  `json:"roles" api:"roles"`
	AccessRules []ShownRules `json:"accessRules" api:"access_rules"`
}

// ShownRole is a role that it has.
type ShownRole struct {
	ID       string `json:"id" api:"id"`
	Name     string `json:"name" api:"name"`
	DomainID string `json:"domainID,omitempty" api:"domain_id"`
}

// ShownRules is an access rule as Keystone keeps it.
type ShownRules struct {
	ID      string `json:"id" api:"id"`
	Path    string `json:"path" api:"path"`
	Method  string `json:"method" api:"method"`
	Service string `json:"service" api:"service"`
}

// Filter says which existing application credential is meant, of the user whose
// credentials the agent has.
type Filter struct {
	UserRef     string  `json:"userRef,omitempty" ref:"User" doc:"User that it stands for."`
	Name        *string `json:"name,omitempty" doc:"Exact name."`
	Description *string `json:"description,omitempty" rule:"lines" doc:"Exact description."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind is the kind ApplicationCredential over c, which may be nil where only rules are
// needed. It lists those of the user itself.
func Kind(c *cloud.Client) *kind.Kind {
	own := ""
	if c != nil {
		own, _ = c.OwnUser()
	}
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "ApplicationCredential", Service: cloud.Identity, UniqueNames: true, FixedMark: true, Scope: kind.OfCloud,
			Loss:   []string{"the access of all that logs in with it"},
			Unmark: "the mark is the end of the description, which Keystone cannot change: openstack application credential delete <id>, and make another without it",
			Doc:    "A secret that stands for the user of the agent in its project (Keystone). It belongs to the user, and everybody can make one.",
		},
		Collection: define.Collection{Path: "users/" + own + "/application_credentials", Field: "application_credentials", Singular: "application_credential", Project: "project_id", Secret: true},
		Mark:       mark.IdentityDescriptionPlace,
		Overrides: []table.Override[Spec, More]{
			{Field: "userRef", Compare: compareUser},
			{Field: "secretRef", Compare: skip, Write: writeSecret},
			{Field: "roleRefs", Compare: compareRoles, Write: writeRoles},
			{Field: "accessRules", Compare: compareRules, Write: writeRules},
			{Field: "expiresAt", Compare: compareExpiry, Write: writeExpiry},
		},
		Validate: validate, Expand: expand, Diff: compareSecret, Observe: observe, Export: export,
		Create: create, Update: update, Delete: remove,
	})
}
