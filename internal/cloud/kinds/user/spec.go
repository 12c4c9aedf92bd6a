// Package user is the kind User: an account that can log in (Keystone), in K-ORC's vocabulary.
//
// The password comes from a Secret of the repository. Keystone stores only a hash of it, and
// shows nothing. The user's attributes contain a fingerprint of the password, by which the
// agent sees that the password changes. No output and no log contains the password. Errors of
// requests that contain the password do not contain it either.
package user

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec is the desired state of a user. Field names and meanings are from K-ORC
// (api/v1alpha1/user_types.go).
type Spec struct {
	Name              *string `json:"name,omitempty" api:"name,named,trimmed" rule:"min=1,max=255" doc:"Name in the cloud; metadata.name if left out."`
	Description       *string `json:"description,omitempty" api:"description,empty" rule:"lines,max=255" doc:"Free text."`
	DomainRef         string  `json:"domainRef,omitempty" api:"domain_id" show:"domainID" rule:"immutable" ref:"Domain" doc:"Domain of the user; the default domain if left out."`
	DefaultProjectRef string  `json:"defaultProjectRef,omitempty" api:"default_project_id,empty" show:"defaultProjectID" ref:"Project" doc:"Project for logins that name no project."`
	Enabled           *bool   `json:"enabled,omitempty" api:"enabled" rule:"default=true" cuts:"the user cannot log in any more" doc:"Whether the user can log in."`
	PasswordRef       *string `json:"passwordRef,omitempty" ref:"Secret" doc:"Secret with the password, in the key password. If left out, the user is made without a password, and a later password is not managed."`
}

// More holds the fields of a user that only Keystone sets, and the fingerprint of the password.
type More struct {
	PasswordExpiresAt string     `json:"passwordExpiresAt" api:"password_expires_at"`
	Print             table.Text `json:"print" api:"stackreeve_password" show:"-"`
}

// Filter selects an existing user.
type Filter struct {
	Name      *string `json:"name,omitempty" doc:"Exact name."`
	DomainRef string  `json:"domainRef,omitempty" ref:"Domain" doc:"Domain that it is in."`
}

// FilterName is the name that the filter selects.
func (f *Filter) FilterName() string { return table.Or(f.Name, "") }

type (
	want   = typed.Want[Spec]
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// Kind returns the kind User. c may be nil where only its rules are needed.
func Kind(c *cloud.Client) *kind.Kind {
	return define.New(c, define.Resource[Spec, Filter, More]{
		Info: kind.Info{
			Group: define.OrcGroup, Version: "v1alpha1", Kind: "User", Service: cloud.Identity, Scope: kind.OfCloud,
			Loss:   []string{"all its roles", "its application credentials, and the access of programs that log in with them", "its key pairs"},
			Unmark: mark.UnmarkExtra("users", "user"),
			Doc:    "A person or program that can log in (Keystone). Only an administrator can list and make users.",
		},
		Collection: define.Collection{Path: "users", Singular: "user", UpdateBy: http.MethodPatch, Secret: true},
		Mark:       mark.ExtraPlace,
		Overrides:  []table.Override[Spec, More]{{Field: "passwordRef", Compare: comparePassword, Write: writePassword}},
		Name: func(w want, name string) string {
			return define.WantedInDomain(name, w.Spec.DomainRef, w.Ref)
		},
		Expand:  expand,
		Observe: func(s *state, live *kind.Live) { define.ObserveIdentity(c, s, s.Spec.DomainRef, live) },
		Update:  update, Unmark: unmark, Export: export,
		OfAgent: func(own cloud.Login) []string { return []string{own.User} }, FoundBy: []string{"name", "enabled"},
	})
}
