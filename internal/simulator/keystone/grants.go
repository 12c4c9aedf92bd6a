package keystone

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// grant is a role of a user or a group in a project or a domain.
type grant struct{ scopes, scope, actors, actor, role string }

func (g grant) path() string {
	return g.scopes + "/" + g.scope + "/" + g.actors + "/" + g.actor + "/roles"
}

func (k *Keystone) grantRoutes() {
	k.svc.Handle("GET /v3/role_assignments", k.listAssignments)
	for _, scopes := range []string{"projects", "domains"} {
		for _, actors := range []string{"users", "groups"} {
			path := "/v3/" + scopes + "/{id}/" + actors + "/{actor}/roles"
			handle := func(method, suffix, action string, h func(*oslo.Call, grant) (*oslo.Response, error)) {
				k.svc.Handle(method+" "+path+suffix, func(c *oslo.Call) (*oslo.Response, error) {
					g := grant{scopes, c.PathValue("id"), actors, c.PathValue("actor"), c.PathValue("role")}
					if err := k.checkGrant(c, g, action); err != nil {
						return nil, err
					}
					return h(c, g)
				})
			}
			handle("GET", "", "list_grants", k.listGrants)
			handle("PUT", "/{role}", "create_grant", k.addGrant)
			handle("GET", "/{role}", "check_grant", k.hasGrant)
			handle("DELETE", "/{role}", "revoke_grant", k.removeGrant)
		}
	}
}

// checkGrant returns an error if any part of a grant does not exist.
func (k *Keystone) checkGrant(c *oslo.Call, g grant, action string) error {
	if !administers(c.Caller) {
		return forbidden(action)
	}
	there := map[string]func(string) bool{
		"projects": func(id string) bool { _, ok := k.projects.Get(id); return ok },
		"domains":  func(id string) bool { _, ok := k.domains.Get(id); return ok },
		"users":    func(id string) bool { _, ok := k.users.Get(id); return ok },
		"groups":   func(id string) bool { _, ok := k.groups.Get(id); return ok },
	}
	if !there[g.scopes](g.scope) {
		return notFound(g.scopes[:len(g.scopes)-1], g.scope)
	}
	if !there[g.actors](g.actor) {
		return notFound(g.actors[:len(g.actors)-1], g.actor)
	}
	if _, ok := k.roles.Get(g.role); !ok && g.role != "" {
		return notFound("role", g.role)
	}
	return nil
}

func (k *Keystone) listAssignments(c *oslo.Call) (*oslo.Response, error) {
	if !administers(c.Caller) {
		return nil, forbidden("list_role_assignments")
	}
	q := c.Query()
	var items []any
	for _, g := range k.grants {
		fits := match(q.Get("role.id"), g.role)
		for _, f := range []struct{ word, of, id string }{{"user.id", "users", g.actor}, {"group.id", "groups", g.actor}} {
			fits = fits && (!q.Has(f.word) || g.actors == f.of && q.Get(f.word) == f.id)
		}
		for _, f := range []struct{ word, of, id string }{{"scope.project.id", "projects", g.scope}, {"scope.domain.id", "domains", g.scope}} {
			fits = fits && (!q.Has(f.word) || g.scopes == f.of && q.Get(f.word) == f.id)
		}
		if fits {
			items = append(items, k.viewGrant(c, g))
		}
	}
	return list(c, "role_assignments", items), nil
}

func match(want, have string) bool { return want == "" || want == have }

func (k *Keystone) viewGrant(c *oslo.Call, g grant) any {
	in, who, what := map[string]any{"id": g.scope}, map[string]any{"id": g.actor}, map[string]any{"id": g.role}
	if oslo.Truthy(c.Query().Get("include_names")) {
		r, _ := k.roles.Get(g.role)
		what["name"] = r.Name
		if p, ok := k.projects.Get(g.scope); ok {
			in["name"], in["domain"] = p.Name, domainRef
		}
		if u, ok := k.users.Get(g.actor); ok {
			who["name"], who["domain"] = u.Name, domainRef
		}
	}
	return map[string]any{
		"links": map[string]string{"assignment": c.Base + "/v3/" + g.path() + "/" + g.role},
		"scope": map[string]any{g.scopes[:len(g.scopes)-1]: in}, g.actors[:len(g.actors)-1]: who, "role": what,
	}
}

func (k *Keystone) listGrants(c *oslo.Call, g grant) (*oslo.Response, error) {
	var items []any
	for r := range k.roles.All() {
		g.role = r.ID
		if slices.Contains(k.grants, g) {
			items = append(items, struct {
				*role
				Links map[string]string `json:"links"`
			}{r, self(c, "roles/"+r.ID)})
		}
	}
	return list(c, "roles", items), nil
}

func (k *Keystone) addGrant(_ *oslo.Call, g grant) (*oslo.Response, error) {
	if !slices.Contains(k.grants, g) {
		k.grants = append(k.grants, g)
	}
	return oslo.NoContent(), nil
}

func (k *Keystone) hasGrant(_ *oslo.Call, g grant) (*oslo.Response, error) {
	if !slices.Contains(k.grants, g) {
		return nil, noGrant(g)
	}
	return oslo.NoContent(), nil
}

func (k *Keystone) removeGrant(_ *oslo.Call, g grant) (*oslo.Response, error) {
	i := slices.Index(k.grants, g)
	if i < 0 {
		return nil, noGrant(g)
	}
	k.grants = slices.Delete(k.grants, i, i+1)
	return oslo.NoContent(), nil
}

func noGrant(g grant) error {
	return notFound("role assignment with role", g.role+", user or group: "+g.actor+", project, domain, or system: "+g.scope)
}
