package keystone

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

type roleView struct {
	*role
	Links map[string]string `json:"links"`
}

func viewRole(c *oslo.Call, r *role) roleView { return roleView{r, self(c, "roles/"+r.ID)} }

func (k *Keystone) listRoles(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, forbidden("list_roles")
	}
	var items []any
	for r := range k.roles.All() {
		if match(c.Query().Get("name"), r.Name) && !c.Query().Has("domain_id") {
			items = append(items, viewRole(c, r))
		}
	}
	return list(c, "roles", items), nil
}

func (k *Keystone) showRole(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, forbidden("get_role")
	}
	r, ok := k.roles.Get(c.PathValue("id"))
	if !ok {
		return nil, notFound("role", c.PathValue("id"))
	}
	return oslo.OK(map[string]any{"role": viewRole(c, r)}), nil
}

func (k *Keystone) listAssignments(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, forbidden("list_role_assignments")
	}
	q := c.Query()
	var items []any
	for _, g := range k.grants {
		if !match(q.Get("user.id"), g.user) || !match(q.Get("scope.project.id"), g.project) || !match(q.Get("role.id"), g.role) {
			continue
		}
		items = append(items, k.viewGrant(c, g))
	}
	return list(c, "role_assignments", items), nil
}

func (k *Keystone) viewGrant(c *oslo.Call, g grant) any {
	in := map[string]any{"id": g.project}
	who := map[string]any{"id": g.user}
	what := map[string]any{"id": g.role}
	if oslo.Truthy(c.Query().Get("include_names")) {
		p, _ := k.projects.Get(g.project)
		u, _ := k.users.Get(g.user)
		r, _ := k.roles.Get(g.role)
		in["name"], in["domain"] = p.Name, domainRef
		who["name"], who["domain"] = u.Name, domainRef
		what["name"] = r.Name
	}
	return map[string]any{
		"links": map[string]string{"assignment": c.Base + "/v3/projects/" + g.project + "/users/" + g.user + "/roles/" + g.role},
		"scope": map[string]any{"project": in}, "user": who, "role": what,
	}
}

// granted reads the path's grant; all three must exist.
func (k *Keystone) granted(c *oslo.Call, action string) (grant, error) {
	g := grant{c.PathValue("user"), c.PathValue("id"), c.PathValue("role")}
	if !c.Caller.Admin() {
		return g, forbidden(action)
	}
	if _, ok := k.projects.Get(g.project); !ok {
		return g, notFound("project", g.project)
	}
	if _, ok := k.users.Get(g.user); !ok {
		return g, notFound("user", g.user)
	}
	if _, ok := k.roles.Get(g.role); !ok && g.role != "" {
		return g, notFound("role", g.role)
	}
	return g, nil
}

func (k *Keystone) listGrants(c *oslo.Call) (*oslo.Response, error) {
	g, err := k.granted(c, "list_grants")
	if err != nil {
		return nil, err
	}
	var items []any
	for r := range k.roles.All() {
		if slices.Contains(k.grants, grant{g.user, g.project, r.ID}) {
			items = append(items, viewRole(c, r))
		}
	}
	return list(c, "roles", items), nil
}

func (k *Keystone) addGrant(c *oslo.Call) (*oslo.Response, error) {
	g, err := k.granted(c, "create_grant")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(k.grants, g) {
		k.grants = append(k.grants, g)
	}
	return oslo.NoContent(), nil
}

func (k *Keystone) checkGrant(c *oslo.Call) (*oslo.Response, error) {
	g, err := k.granted(c, "check_grant")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(k.grants, g) {
		return nil, noGrant(g)
	}
	return oslo.NoContent(), nil
}

func (k *Keystone) removeGrant(c *oslo.Call) (*oslo.Response, error) {
	g, err := k.granted(c, "revoke_grant")
	if err != nil {
		return nil, err
	}
	i := slices.Index(k.grants, g)
	if i < 0 {
		return nil, noGrant(g)
	}
	k.grants = slices.Delete(k.grants, i, i+1)
	return oslo.NoContent(), nil
}

func noGrant(g grant) error {
	return notFound("role assignment with role", g.role+", user or group: "+g.user+", project, domain, or system: "+g.project)
}
