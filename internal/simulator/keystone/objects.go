package keystone

import (
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

type domain struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description *string        `json:"description"`
	Enabled     bool           `json:"enabled"`
	Tags        []string       `json:"tags"`
	Options     map[string]any `json:"options"`

	extra extras
}

type project struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	DomainID    string         `json:"domain_id"`
	Description *string        `json:"description"`
	Enabled     bool           `json:"enabled"`
	ParentID    string         `json:"parent_id"`
	IsDomain    bool           `json:"is_domain"`
	Tags        []string       `json:"tags"`
	Options     map[string]any `json:"options"`

	extra extras
}

type user struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	DomainID  string         `json:"domain_id"`
	Enabled   bool           `json:"enabled"`
	Expires   *string        `json:"password_expires_at"`
	ProjectID *string        `json:"default_project_id"` // omitted if there is none
	Options   map[string]any `json:"options"`

	password string
	extra    extras // the description is one of them
}

type role struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	DomainID    *string        `json:"domain_id"`
	Description *string        `json:"description"`
	Options     map[string]any `json:"options"`

	extra extras
}

type group struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	DomainID    string  `json:"domain_id"`
	Description *string `json:"description"`

	extra extras
}

// objects adds the routes for the objects that administrators make.
func (k *Keystone) objects() {
	k.addDomains()
	k.addProjects()
	k.addUsers()
	k.addRoles()
	k.addGroups()
	k.addServices()
	k.addEndpoints()
}

func (k *Keystone) addDomains() {
	(&records[domain]{k: k, name: "domain", store: k.domains, id: func(d *domain) string { return d.ID }, extra: func(d *domain) *extras { return &d.extra },
		table:  oslo.Table{stripped(64), described("", 65535), enabled, tagged, optional},
		seeOwn: func(_ *oslo.Call, id string) bool { return id == domainID },
		check: func(d, old *domain, _ oslo.Values) error {
			return taken(k.domains, old, func(o *domain) bool { return o.Name == d.Name },
				"project - it is not permitted to have two projects acting as domains with the same name: "+d.Name+".")
		},
		removing: k.removeDomain}).serve()
}

// removeDomain deletes all objects of the domain except its roles
// (keystone/resource/core.py: delete_domain).
func (k *Keystone) removeDomain(d *domain) error {
	if d.Enabled {
		return oslo.Errorf(http.StatusForbidden, "Forbidden", "Cannot delete a domain that is enabled, please disable it first.")
	}
	for _, p := range k.projects.Where(func(p *project) bool { return p.DomainID == d.ID }) {
		k.dropProject(p)
		k.projects.Remove(p.ID)
	}
	for _, u := range k.users.Where(func(u *user) bool { return u.DomainID == d.ID }) {
		k.dropUser(u)
		k.users.Remove(u.ID)
	}
	for _, g := range k.groups.Where(func(g *group) bool { return g.DomainID == d.ID }) {
		k.groups.Remove(g.ID)
	}
	k.revokeAll(func(g grant) bool { return g.scope == d.ID })
	return nil
}

func (k *Keystone) addProjects() {
	r := &records[project]{k: k, name: "project", store: k.projects, id: func(p *project) string { return p.ID }, extra: func(p *project) *extras { return &p.extra },
		table: oslo.Table{stripped(64), described("", 65535), enabled, tagged, optional, within, {Name: "parent_id", Create: oslo.Anybody, Filter: true, Parse: oslo.OrNull(types.Text(64))},
			{Name: "is_domain", Create: oslo.Anybody, Default: false, Parse: flag}},
		seeOwn: func(c *oslo.Call, id string) bool { return id == c.Caller.ProjectID }, echoes: true,
		check: func(p, old *project, _ oslo.Values) error {
			if p.ParentID == "" {
				p.ParentID = p.DomainID
			}
			if _, ok := k.domains.Get(p.DomainID); !ok {
				return notFound("domain", p.DomainID)
			}
			return taken(k.projects, old, func(o *project) bool { return o.Name == p.Name && o.DomainID == p.DomainID },
				"project - it is not permitted to have two projects with either the same name or same id in the same domain: name is "+p.Name+", project id "+p.ID+".")
		},
		removing: func(p *project) error { k.dropProject(p); return nil }}
	r.serve()
	shown := func(c *oslo.Call, userID string) *oslo.Response {
		var items []any
		for p := range k.projects.All() {
			if len(k.roleNames(userID, p.ID)) > 0 {
				items = append(items, r.view(c, p))
			}
		}
		return list(c, "projects", items)
	}
	k.svc.Handle("GET /v3/auth/projects", func(c *oslo.Call) (*oslo.Response, error) { return shown(c, c.Caller.UserID), nil })
	k.svc.Handle("GET /v3/users/{id}/projects", func(c *oslo.Call) (*oslo.Response, error) {
		if !administers(c.Caller) && c.PathValue("id") != c.Caller.UserID {
			return nil, forbidden("list_user_projects")
		}
		return shown(c, c.PathValue("id")), nil
	})
}

func (k *Keystone) dropProject(p *project) {
	k.revokeAll(func(g grant) bool { return g.scope == p.ID })
	k.endTokens(func(c *oslo.Caller) bool { return c.ProjectID == p.ID })
	for u := range k.users.All() {
		if u.ProjectID != nil && *u.ProjectID == p.ID {
			u.ProjectID = nil
		}
	}
}

func (k *Keystone) addUsers() {
	(&records[user]{k: k, name: "user", store: k.users, id: func(u *user) string { return u.ID }, extra: func(u *user) *extras { return &u.extra },
		table: oslo.Table{stripped(255), enabled, optional, within, {Name: "password", Create: oslo.Anybody, Update: oslo.Anybody, Parse: oslo.OrNull(types.Text(4096))},
			{Name: "default_project_id", Create: oslo.Anybody, Update: oslo.Anybody, Parse: oslo.OrNull(types.Text(64))}},
		seeOwn: func(c *oslo.Call, id string) bool { return id == c.Caller.UserID }, echoes: true,
		check: func(u, old *user, v oslo.Values) error {
			if v.Sent("password") {
				u.password = v.Text("password")
			}
			if _, ok := k.domains.Get(u.DomainID); !ok {
				return notFound("domain", u.DomainID)
			}
			return taken(k.users, old, func(o *user) bool { return o.Name == u.Name && o.DomainID == u.DomainID },
				"user - Duplicate entry found with name "+u.Name+" at domain ID "+u.DomainID+".")
		},
		removing: func(u *user) error { k.dropUser(u); return nil }}).serve()
}

func (k *Keystone) dropUser(u *user) {
	k.revokeAll(func(g grant) bool { return g.actor == u.ID })
	k.endTokens(func(c *oslo.Caller) bool { return c.UserID == u.ID })
	for _, cred := range k.credentials.Where(func(c *credential) bool { return c.UserID == u.ID }) {
		k.credentials.Remove(cred.ID)
	}
}

func (k *Keystone) addRoles() {
	row := within
	row.Default, row.Filter, row.Parse = nil, false, oslo.OrNull(types.Text(64))
	(&records[role]{k: k, name: "role", store: k.roles, id: func(r *role) string { return r.ID }, extra: func(r *role) *extras { return &r.extra },
		table: oslo.Table{named(255), described(nil, 255), optional, row},
		listed: func(c *oslo.Call, r *role) bool {
			if !c.Query().Has("domain_id") {
				return r.DomainID == nil
			}
			return r.DomainID != nil && *r.DomainID == c.Query().Get("domain_id")
		},
		check: func(r, old *role, _ oslo.Values) error {
			if old != nil && old.Options["immutable"] == true {
				return oslo.Errorf(http.StatusForbidden, "ResourceUpdateForbidden", "Unable to update immutable role resource: `%s`. Set resource option \"immutable\" to false first.", r.ID)
			}
			return taken(k.roles, old, func(o *role) bool { return o.Name == r.Name && equal(o.DomainID, r.DomainID) }, "role - Duplicate entry found with name "+r.Name+".")
		},
		removing: func(r *role) error {
			if r.Options["immutable"] == true {
				return oslo.Errorf(http.StatusForbidden, "ResourceDeleteForbidden", "Unable to delete immutable role resource: `%s`. Set resource option \"immutable\" to false first.", r.ID)
			}
			k.revokeAll(func(g grant) bool { return g.role == r.ID })
			return nil
		}}).serve()
}

func equal(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func (k *Keystone) addGroups() {
	(&records[group]{k: k, name: "group", store: k.groups, id: func(g *group) string { return g.ID }, extra: func(g *group) *extras { return &g.extra },
		table: oslo.Table{stripped(255), described("", 65535), within},
		check: func(g, old *group, _ oslo.Values) error {
			if _, ok := k.domains.Get(g.DomainID); !ok {
				return notFound("domain", g.DomainID)
			}
			return taken(k.groups, old, func(o *group) bool { return o.Name == g.Name && o.DomainID == g.DomainID },
				"group - Duplicate entry found with name "+g.Name+" at domain ID "+g.DomainID+".")
		},
		removing: func(g *group) error { k.revokeAll(func(x grant) bool { return x.actor == g.ID }); return nil }}).serve()
}

func (k *Keystone) revokeAll(which func(grant) bool) { k.grants = slices.DeleteFunc(k.grants, which) }

func (k *Keystone) endTokens(of func(*oslo.Caller) bool) {
	for id, t := range k.tokens {
		if of(t.caller) {
			delete(k.tokens, id)
		}
	}
}

var tagged = oslo.Attribute{Name: "tags", Create: oslo.Anybody, Update: oslo.Anybody, Default: []string{}, Parse: types.Texts(tag)}

// tag mirrors keystone/resource/schema.py: _project_tag_name_properties.
func tag(name string, v any) (any, *oslo.Error) {
	s, _ := v.(string)
	if s == "" || len(s) > 255 || slices.ContainsFunc([]byte(s), func(b byte) bool { return b == ',' || b == '/' }) {
		return nil, oslo.Errorf(http.StatusBadRequest, "ValidationError", "Invalid input for field '%s/0': '%s' does not match '^[^,/]*$'", name, s)
	}
	return s, nil
}
