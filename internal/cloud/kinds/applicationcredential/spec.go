// Package applicationcredential is the kind ApplicationCredential: a secret with which programs log in as a user, in one
// project (Keystone). The fields are named as in K-ORC.
//
// Keystone shows a secret that it generates only once, and Stackreeve has no safe place to store it. So the secret comes
// from a Secret of the repository and is sent to Keystone. The copy in Keystone's answer is not read, and no output and
// no log contains the secret.
//
// Keystone cannot change an application credential, and stores no attributes that it does not know. So the owner mark
// and the secret's fingerprint are at the end of the description. The mark does not contain the last applied manifest.
package applicationcredential

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Spec is the desired state of an application credential. Field names and meanings are
// K-ORC's (api/v1alpha1/applicationcredential_types.go). Unlike in K-ORC, userRef is optional.
type Spec struct {
	Name         *string      `json:"name,omitempty" api:"name,named" rule:"immutable,min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description  *string      `json:"description,omitempty" api:"description,empty" rule:"lines,immutable,max=255" doc:"Free text; followed by the owner mark."`
	UserRef      string       `json:"userRef,omitempty" api:"user_id,unwritten" show:"userID" rule:"immutable" ref:"User" doc:"User of the application credential. It must be the user of the agent's credentials, because Keystone allows nobody to make one for another user."`
	Unrestricted *bool        `json:"unrestricted,omitempty" api:"unrestricted" rule:"immutable,default=false" doc:"Whether the credential can create other application credentials."`
	SecretRef    string       `json:"secretRef" rule:"required,min=1" ref:"Secret" doc:"Name of a Secret; its key value has the secret of the application credential. Another secret makes a new application credential."`
	RoleRefs     []string     `json:"roleRefs,omitempty" rule:"max=256,unique,format=name" ref:"Role" doc:"Its roles, which the user must have in the project. If left out, the credential has all roles of the user in the project, and the roles are not compared."`
	AccessRules  []AccessRule `json:"accessRules,omitempty" rule:"immutable,max=256" doc:"Requests that are possible with the credential; all if left out."`
	ExpiresAt    *string      `json:"expiresAt,omitempty" doc:"Time at which the credential ends, such as 2030-01-31T00:00:00Z; never if left out. Another time makes a new application credential."`
}

// AccessRule allows one kind of request.
type AccessRule struct {
	Path       string `json:"path" api:"path" rule:"required,max=225,pattern=^/" doc:"Path of the request. * matches one part of the path, ** matches the rest." example:"/v2.1/servers"`
	Method     string `json:"method" api:"method" rule:"required,enum=DELETE|GET|HEAD|PATCH|POST|PUT" doc:"Method of the request."`
	ServiceRef string `json:"serviceRef,omitempty" api:"-" ref:"Service" doc:"Service that receives the request."`
	Service    string `json:"service,omitempty" api:"service" rule:"max=64" doc:"The Service by its type, such as network. Use this if the credentials cannot look up a Service, which only an administrator can."`
}

// More holds the fields of an application credential that only Keystone sets.
type More struct {
	ProjectID   string       `json:"projectID" api:"project_id"`
	ExpiresAt   string       `json:"expiresAt" api:"expires_at"`
	Roles       []ShownRole  `json:"roles" api:"roles"`
	AccessRules []ShownRules `json:"accessRules" api:"access_rules"`
}

// ShownRole is a role of the credential.
type ShownRole struct {
	ID       string `json:"id" api:"id"`
	Name     string `json:"name" api:"name"`
	DomainID string `json:"domainID,omitempty" api:"domain_id"`
}

// ShownRules is an access rule as Keystone shows it.
type ShownRules struct {
	ID      string `json:"id" api:"id"`
	Path    string `json:"path" api:"path"`
	Method  string `json:"method" api:"method"`
	Service string `json:"service" api:"service"`
}

// Filter selects an existing application credential of the agent's own user.
type Filter struct {
	UserRef     string  `json:"userRef,omitempty" ref:"User" doc:"User of the application credential."`
	Name        *string `json:"name,omitempty" doc:"Exact name."`
	Description *string `json:"description,omitempty" rule:"lines" doc:"Exact description."`
}

// FilterName returns the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

// Kind returns the kind ApplicationCredential. c may be nil if only the kind's rules are needed. It lists the credentials of the agent's own user.
func Kind(c *cloud.Client) *kind.Kind {
	own := ""
	if c != nil {
		own, _ = c.OwnUser()
	}
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Lists: []string{cloud.Identity + "/application_credentials"},
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "ApplicationCredential", Service: cloud.Identity, UniqueNames: true, FixedMark: true, Scope: kind.OfCloud,
			Loss:   []string{"the access of all programs that log in with it"},
			Unmark: "the mark is the end of the description, which Keystone cannot change: openstack application credential delete <id>, and create another without the mark",
			Doc:    "A secret with which programs log in as the user of the agent, in the agent's project (Keystone). It belongs to the user, and every user can make one.",
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
