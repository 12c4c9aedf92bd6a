package keystone

import (
	"net/http"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

var domainRef = map[string]string{"id": domainID, "name": "Default"}

func (k *Keystone) tokenBody(c *oslo.Call, t *token) map[string]any {
	body := map[string]any{
		"methods":    t.methods,
		"audit_ids":  []string{t.audit},
		"issued_at":  oslo.StampMicro(t.issued) + "Z",
		"expires_at": oslo.StampMicro(t.expires) + "Z",
		"user":       map[string]any{"domain": domainRef, "id": t.caller.UserID, "name": t.caller.UserName, "password_expires_at": nil},
	}
	if t.caller.Credential != "" {
		body["application_credential"] = map[string]any{"id": t.caller.Credential, "name": k.credentialName(t.caller.Credential), "restricted": true}
	}
	if t.caller.ProjectID != "" {
		body["project"] = map[string]any{"domain": domainRef, "id": t.caller.ProjectID, "name": t.caller.ProjectName}
		body["is_domain"] = false
		roles := []map[string]string{}
		for _, name := range t.caller.Roles {
			roles = append(roles, map[string]string{"id": k.roleID(name), "name": name})
		}
		body["roles"] = roles
		if !c.Query().Has("nocatalog") {
			body["catalog"] = k.endpoints(c, t.caller.ProjectID)
		}
	}
	return map[string]any{"token": body}
}

func (k *Keystone) roleID(name string) string {
	for r := range k.roles.All() {
		if r.Name == name {
			return r.ID
		}
	}
	return ""
}

func (k *Keystone) subject(c *oslo.Call) (string, *token, error) {
	id := c.Header.Get("X-Subject-Token")
	if _, ok := k.Validate(id); !ok {
		return "", nil, oslo.Errorf(http.StatusNotFound, "NotFound", "Could not find token: %s.", id)
	}
	t := k.tokens[id]
	if t.caller.UserID != c.Caller.UserID && !administers(c.Caller) {
		return "", nil, forbidden("validate_token")
	}
	return id, t, nil
}

func (k *Keystone) validate(c *oslo.Call) (*oslo.Response, error) {
	id, t, err := k.subject(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(k.tokenBody(c, t)).With("X-Subject-Token", id).With("Vary", "X-Auth-Token"), nil
}

func (k *Keystone) revoke(c *oslo.Call) (*oslo.Response, error) {
	id, _, err := k.subject(c)
	if err != nil {
		return nil, err
	}
	k.Expire(id)
	return oslo.NoContent(), nil
}
