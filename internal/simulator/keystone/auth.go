package keystone

import (
	"net/http"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

type token struct {
	caller  *oslo.Caller
	methods []string
	audit   string
	issued  time.Time
	expires time.Time
}

type byName struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"`
	Domain *nameOrID `json:"domain"`
}

type nameOrID struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type authRequest struct {
	Auth *struct {
		Identity *struct {
			Methods  []string `json:"methods"`
			Password *struct {
				User struct {
					byName
					Password string `json:"password"`
				} `json:"user"`
			} `json:"password"`
			Token *struct {
				ID string `json:"id"`
			} `json:"token"`
			Credential *struct {
				byName
				Secret string  `json:"secret"`
				User   *byName `json:"user"`
			} `json:"application_credential"`
		} `json:"identity"`
		Scope any `json:"scope"`
	} `json:"auth"`
}

// Validate returns the caller of a valid token.
func (k *Keystone) Validate(id string) (*oslo.Caller, bool) {
	t, ok := k.tokens[id]
	if !ok {
		return nil, false
	}
	if !t.expires.After(k.cloud.Now()) {
		delete(k.tokens, id)
		return nil, false
	}
	return t.caller, true
}

// Expire makes a token invalid immediately.
func (k *Keystone) Expire(id string) { delete(k.tokens, id) }

// issue answers POST /v3/auth/tokens (keystone/api/auth.py).
func (k *Keystone) issue(c *oslo.Call) (*oslo.Response, error) {
	var req authRequest
	if !c.Decode(&req) || req.Auth == nil {
		return nil, malformed("auth", "request body")
	}
	if req.Auth.Identity == nil {
		return nil, malformed("identity", "auth")
	}
	t := &token{methods: req.Auth.Identity.Methods, audit: k.cloud.Secret(16), issued: k.cloud.Now()}
	t.expires = t.issued.Add(k.ttl)
	if t.methods == nil {
		return nil, malformed("methods", "identity")
	}
	if len(t.methods) == 0 {
		return nil, unauthorized(c)
	}
	who, err := k.identify(c, &req, t)
	if err != nil {
		return nil, err
	}
	t.caller = who
	if who.Credential == "" {
		if err := k.scope(c, req.Auth.Scope, who); err != nil {
			return nil, err
		}
	}
	id := "gAAAAAB" + k.cloud.Secret(120)
	who.Token = id
	k.sweep()
	k.tokens[id] = t
	return oslo.Created(k.tokenBody(c, t)).With("X-Subject-Token", id).With("Vary", "X-Auth-Token"), nil
}

// sweep sometimes removes the expired tokens, so that they do not accumulate in a long run.
func (k *Keystone) sweep() {
	if len(k.tokens)%256 != 255 {
		return
	}
	now := k.cloud.Now()
	for id, t := range k.tokens {
		if !t.expires.After(now) {
			delete(k.tokens, id)
		}
	}
}

func (k *Keystone) identify(c *oslo.Call, req *authRequest, t *token) (*oslo.Caller, error) {
	ident := req.Auth.Identity
	switch ident.Methods[0] {
	case "password":
		if ident.Password == nil {
			return nil, malformed("password", "identity")
		}
		if in := ident.Password.User; in.ID == "" && in.Domain == nil {
			return nil, malformed("domain", "user")
		}
		u := k.findUser(&ident.Password.User.byName)
		if u == nil || u.password != ident.Password.User.Password || !u.Enabled {
			return nil, unauthorized(c)
		}
		return &oslo.Caller{UserID: u.ID, UserName: u.Name}, nil
	case "token":
		if ident.Token == nil {
			return nil, malformed("token", "identity")
		}
		old, ok := k.Validate(ident.Token.ID)
		if !ok {
			return nil, oslo.Errorf(http.StatusNotFound, "TokenNotFound", "Could not recognize Fernet token")
		}
		if old.Credential != "" {
			return nil, unauthorized(c)
		}
		// A token that was made from another token expires with it.
		t.expires = k.tokens[ident.Token.ID].expires
		t.methods = []string{"token", "password"}
		return &oslo.Caller{UserID: old.UserID, UserName: old.UserName, ProjectID: old.ProjectID}, nil
	case "application_credential":
		return k.identifyCredential(c, req, t)
	}
	return nil, malformed(ident.Methods[0], "identity")
}

func (k *Keystone) identifyCredential(c *oslo.Call, req *authRequest, t *token) (*oslo.Caller, error) {
	in := req.Auth.Identity.Credential
	if in == nil {
		return nil, malformed("application_credential", "identity")
	}
	var cred *credential
	if in.ID != "" {
		cred, _ = k.credentials.Get(in.ID)
		if cred == nil {
			return nil, notFound("Application Credential", in.ID)
		}
	} else if u := k.findUser(in.User); u != nil {
		cred = k.credentialNamed(u.ID, in.Name)
	}
	if cred == nil || cred.secret != in.Secret {
		return nil, unauthorized(c)
	}
	if cred.expires != nil {
		if !cred.expires.After(k.cloud.Now()) {
			return nil, unauthorized(c)
		}
		if cred.expires.Before(t.expires) {
			t.expires = *cred.expires
		}
	}
	if req.Auth.Scope != nil {
		return nil, oslo.Errorf(http.StatusUnauthorized, "AppCredentialScope", "Application credentials cannot request a scope.")
	}
	u, _ := k.users.Get(cred.UserID)
	p, _ := k.projects.Get(cred.ProjectID)
	if u == nil || p == nil {
		return nil, unauthorized(c)
	}
	who := &oslo.Caller{UserID: u.ID, UserName: u.Name, ProjectID: p.ID, ProjectName: p.Name, Credential: cred.ID}
	granted := k.roleNames(u.ID, p.ID)
	for _, r := range cred.Roles {
		if !slices.Contains(granted, r.Name) {
			return nil, unauthorized(c)
		}
		who.Roles = append(who.Roles, r.Name)
	}
	return who, nil
}

// scope sets the project of a caller. The caller must have a role in it.
func (k *Keystone) scope(c *oslo.Call, scope any, who *oslo.Caller) error {
	fields, ok := scope.(map[string]any)
	if scope == nil && who.ProjectID != "" {
		fields, ok = map[string]any{"project": map[string]any{"id": who.ProjectID}}, true
	}
	who.ProjectID = ""
	if !ok { // the scope is absent, or the text "unscoped"
		return nil
	}
	in, ok := fields["project"].(map[string]any)
	if !ok {
		return unauthorized(c) // nobody has roles on the domain or the system
	}
	p := k.findProject(in)
	if p == nil || !p.Enabled {
		return unauthorized(c)
	}
	who.ProjectID, who.ProjectName = p.ID, p.Name
	if who.Roles = k.roleNames(who.UserID, p.ID); len(who.Roles) == 0 {
		return unauthorized(c)
	}
	return nil
}

func (k *Keystone) findProject(in map[string]any) *project {
	if id, ok := in["id"].(string); ok {
		p, _ := k.projects.Get(id)
		return p
	}
	domain, _ := in["domain"].(map[string]any)
	if domain["id"] != domainID && domain["name"] != "Default" {
		return nil
	}
	for p := range k.projects.All() {
		if p.Name == in["name"] {
			return p
		}
	}
	return nil
}

func (k *Keystone) findUser(in *byName) *user {
	if in == nil {
		return nil
	}
	if in.ID != "" {
		u, _ := k.users.Get(in.ID)
		return u
	}
	if in.Domain == nil || in.Domain.ID != domainID && in.Domain.Name != "Default" {
		return nil
	}
	for u := range k.users.All() {
		if u.Name == in.Name {
			return u
		}
	}
	return nil
}

func (k *Keystone) roleNames(userID, projectID string) []string {
	var names []string
	for _, g := range k.grants {
		if g.actor != userID || g.scope != projectID {
			continue
		}
		if r, ok := k.roles.Get(g.role); ok && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}
