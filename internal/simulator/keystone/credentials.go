package keystone

import (
	"net/http"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// credential is an application credential: a secret for a user in one project,
// with some of that user's roles.
type credential struct {
	ID           string        `json:"id"`
	Name         string        `json:"name"`
	Description  *string       `json:"description"`
	UserID       string        `json:"user_id"`
	ProjectID    string        `json:"project_id"`
	System       *string       `json:"system"`
	ExpiresAt    *string       `json:"expires_at"`
	Unrestricted *bool         `json:"unrestricted"`
	Roles        []*role       `json:"roles"`
	AccessRules  []*accessRule `json:"access_rules,omitempty"`

	secret  string
	expires *time.Time
}

type credentialView struct {
	*credential
	Secret string            `json:"secret,omitempty"`
	Links  map[string]string `json:"links"`
}

func viewCredential(c *oslo.Call, cred *credential, secret string) credentialView {
	return credentialView{cred, secret, self(c, "application_credentials/"+cred.ID)}
}

func (k *Keystone) credentialRoutes() {
	k.svc.Handle("GET /v3/users/{id}/application_credentials", k.listCredentials)
	k.svc.Handle("POST /v3/users/{id}/application_credentials", k.createCredential)
	k.svc.Handle("GET /v3/users/{id}/application_credentials/{cred}", k.showCredential)
	k.svc.Handle("DELETE /v3/users/{id}/application_credentials/{cred}", k.deleteCredential)
	k.svc.Handle("GET /v3/users/{id}/access_rules", k.listRules)
	k.svc.Handle("DELETE /v3/users/{id}/access_rules/{rule}", k.deleteRule)
}

func (k *Keystone) credentialNamed(userID, name string) *credential {
	for cred := range k.credentials.All() {
		if cred.UserID == userID && cred.Name == name {
			return cred
		}
	}
	return nil
}

func (k *Keystone) credentialName(id string) string {
	if cred, ok := k.credentials.Get(id); ok {
		return cred.Name
	}
	return ""
}

func (k *Keystone) ownerOnly(c *oslo.Call, action string) error {
	if c.PathValue("id") != c.Caller.UserID && !administers(c.Caller) {
		return forbidden(action)
	}
	return nil
}

func (k *Keystone) listCredentials(c *oslo.Call) (*oslo.Response, error) {
	if err := k.ownerOnly(c, "list_application_credentials"); err != nil {
		return nil, err
	}
	var items []any
	for cred := range k.credentials.All() {
		if cred.UserID == c.PathValue("id") && match(c.Query().Get("name"), cred.Name) {
			items = append(items, viewCredential(c, cred, ""))
		}
	}
	return list(c, "application_credentials", items), nil
}

// createCredential mirrors keystone/api/users.py: UserAppCredListCreateResource.
func (k *Keystone) createCredential(c *oslo.Call) (*oslo.Response, error) {
	if c.PathValue("id") != c.Caller.UserID || c.Caller.ProjectID == "" || c.Caller.Credential != "" {
		return nil, forbidden("create_application_credential")
	}
	var in struct {
		Cred *struct {
			Name         string       `json:"name"`
			Description  *string      `json:"description"`
			Secret       string       `json:"secret"`
			ExpiresAt    *string      `json:"expires_at"`
			Unrestricted *bool        `json:"unrestricted"`
			Roles        []byName     `json:"roles"`
			AccessRules  []accessRule `json:"access_rules"`
		} `json:"application_credential"`
	}
	if !c.Decode(&in) || in.Cred == nil || in.Cred.Name == "" {
		return nil, malformed("name", "application_credential")
	}
	if k.credentialNamed(c.Caller.UserID, in.Cred.Name) != nil {
		return nil, oslo.Errorf(http.StatusConflict, "Conflict", "Conflict occurred attempting to store application_credential - Duplicate entry found with name %s.", in.Cred.Name)
	}
	cred := &credential{ID: k.cloud.HexID(), Name: in.Cred.Name, Description: in.Cred.Description, UserID: c.Caller.UserID,
		ProjectID: c.Caller.ProjectID, Unrestricted: in.Cred.Unrestricted, secret: in.Cred.Secret}
	if cred.secret == "" {
		cred.secret = k.cloud.Secret(64)
	}
	if in.Cred.ExpiresAt != nil {
		if err := cred.expire(*in.Cred.ExpiresAt); err != nil {
			return nil, err
		}
	}
	if err := k.pickRoles(c, cred, in.Cred.Roles); err != nil {
		return nil, err
	}
	for _, rule := range in.Cred.AccessRules {
		cred.AccessRules = append(cred.AccessRules, k.ruleLike(cred.UserID, rule))
	}
	k.credentials.Add(cred)
	return oslo.Created(map[string]any{"application_credential": viewCredential(c, cred, cred.secret)}), nil
}

func (cred *credential) expire(at string) error {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(layout, at); err == nil {
			shown := oslo.StampMicro(t)
			cred.expires, cred.ExpiresAt = &t, &shown
			return nil
		}
	}
	return oslo.Errorf(http.StatusBadRequest, "ValidationExpirationError", "The 'expires_at' must not be before now. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.")
}

// pickRoles sets the roles of cred to the requested roles. Without a request, these are all roles of the caller.
// It returns an error if the caller lacks a requested role.
func (k *Keystone) pickRoles(c *oslo.Call, cred *credential, asked []byName) error {
	for r := range k.roles.All() {
		wanted := len(asked) == 0 || slices.ContainsFunc(asked, func(a byName) bool { return a.ID == r.ID || a.Name == r.Name })
		if wanted && c.Caller.Has(r.Name) {
			cred.Roles = append(cred.Roles, r)
		}
	}
	if len(asked) > len(cred.Roles) {
		return oslo.Errorf(http.StatusBadRequest, "ValidationError", "Invalid application credential: Could not find role assignment with role for the user and project")
	}
	return nil
}

func (k *Keystone) findCredential(c *oslo.Call, action string) (*credential, error) {
	if err := k.ownerOnly(c, action); err != nil {
		return nil, err
	}
	cred, ok := k.credentials.Get(c.PathValue("cred"))
	if !ok || cred.UserID != c.PathValue("id") {
		return nil, notFound("Application Credential", c.PathValue("cred"))
	}
	return cred, nil
}

func (k *Keystone) showCredential(c *oslo.Call) (*oslo.Response, error) {
	cred, err := k.findCredential(c, "get_application_credential")
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"application_credential": viewCredential(c, cred, "")}), nil
}

// deleteCredential also ends the tokens of the credential.
func (k *Keystone) deleteCredential(c *oslo.Call) (*oslo.Response, error) {
	cred, err := k.findCredential(c, "delete_application_credential")
	if err != nil {
		return nil, err
	}
	k.credentials.Remove(cred.ID)
	for id, t := range k.tokens {
		if t.caller.Credential == cred.ID {
			delete(k.tokens, id)
		}
	}
	return oslo.NoContent(), nil
}
