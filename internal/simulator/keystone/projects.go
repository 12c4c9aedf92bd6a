package keystone

import (
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

type projectView struct {
	*project
	Links map[string]string `json:"links"`
}

func viewProject(c *oslo.Call, p *project) projectView {
	return projectView{p, self(c, "projects/"+p.ID)}
}

func (k *Keystone) projectRoutes() {
	k.svc.Handle("GET /v3/projects", k.listProjects)
	k.svc.Handle("POST /v3/projects", k.createProject)
	k.svc.Handle("GET /v3/projects/{id}", k.showProject)
	k.svc.Handle("PATCH /v3/projects/{id}", k.updateProject)
	k.svc.Handle("DELETE /v3/projects/{id}", k.deleteProject)
	k.svc.Handle("GET /v3/users/{id}/projects", k.userProjects)
	k.svc.Handle("GET /v3/roles", k.listRoles)
	k.svc.Handle("GET /v3/roles/{id}", k.showRole)
	k.svc.Handle("GET /v3/role_assignments", k.listAssignments)
	k.svc.Handle("GET /v3/projects/{id}/users/{user}/roles", k.listGrants)
	k.svc.Handle("PUT /v3/projects/{id}/users/{user}/roles/{role}", k.addGrant)
	k.svc.Handle("GET /v3/projects/{id}/users/{user}/roles/{role}", k.checkGrant)
	k.svc.Handle("DELETE /v3/projects/{id}/users/{user}/roles/{role}", k.removeGrant)
}

func (k *Keystone) listProjects(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, forbidden("list_projects")
	}
	q := c.Query()
	var items []any
	for p := range k.projects.All() {
		if match(q.Get("name"), p.Name) && match(q.Get("domain_id"), p.DomainID) && match(q.Get("parent_id"), p.ParentID) {
			items = append(items, viewProject(c, p))
		}
	}
	return list(c, "projects", items), nil
}

func match(want, have string) bool { return want == "" || want == have }

func (k *Keystone) projectsOf(c *oslo.Call, userID string) *oslo.Response {
	var items []any
	for p := range k.projects.All() {
		if len(k.roleNames(userID, p.ID)) > 0 {
			items = append(items, viewProject(c, p))
		}
	}
	return list(c, "projects", items)
}

func (k *Keystone) ownProjects(c *oslo.Call) (*oslo.Response, error) {
	return k.projectsOf(c, c.Caller.UserID), nil
}

func (k *Keystone) userProjects(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Admin() && c.PathValue("id") != c.Caller.UserID {
		return nil, forbidden("list_user_projects")
	}
	return k.projectsOf(c, c.PathValue("id")), nil
}

func (k *Keystone) showProject(c *oslo.Call) (*oslo.Response, error) {
	id := c.PathValue("id")
	if !c.Caller.Admin() && id != c.Caller.ProjectID {
		return nil, forbidden("get_project")
	}
	p, ok := k.projects.Get(id)
	if !ok {
		return nil, notFound("project", id)
	}
	return oslo.OK(map[string]any{"project": viewProject(c, p)}), nil
}

func (k *Keystone) createProject(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, forbidden("create_project")
	}
	var in struct {
		Project *struct {
			Name        string   `json:"name"`
			Description string   `json:"description"`
			Enabled     *bool    `json:"enabled"`
			Tags        []string `json:"tags"`
		} `json:"project"`
	}
	if !c.Decode(&in) || in.Project == nil || in.Project.Name == "" {
		return nil, malformed("name", "project")
	}
	for p := range k.projects.All() {
		if p.Name == in.Project.Name {
			return nil, oslo.Errorf(http.StatusConflict, "Conflict", "Conflict occurred attempting to store project - it is not permitted to have two projects with either the same name or same id in the same domain: name is %s, project id %s.", p.Name, k.cloud.HexID())
		}
	}
	p, _ := k.projects.Get(k.AddProject(in.Project.Name, in.Project.Description))
	if in.Project.Enabled != nil {
		p.Enabled = *in.Project.Enabled
	}
	if in.Project.Tags != nil {
		p.Tags = in.Project.Tags
	}
	return oslo.Created(map[string]any{"project": viewProject(c, p)}), nil
}

func (k *Keystone) updateProject(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, forbidden("update_project")
	}
	p, ok := k.projects.Get(c.PathValue("id"))
	if !ok {
		return nil, notFound("project", c.PathValue("id"))
	}
	var in struct {
		Project struct {
			Name        *string   `json:"name"`
			Description *string   `json:"description"`
			Enabled     *bool     `json:"enabled"`
			Tags        *[]string `json:"tags"`
		} `json:"project"`
	}
	if !c.Decode(&in) {
		return nil, malformed("project", "request body")
	}
	set(&p.Name, in.Project.Name)
	set(&p.Description, in.Project.Description)
	set(&p.Enabled, in.Project.Enabled)
	set(&p.Tags, in.Project.Tags)
	return oslo.OK(map[string]any{"project": struct {
		projectView
		Extra struct{} `json:"extra"`
	}{projectView: viewProject(c, p)}}), nil
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

func (k *Keystone) deleteProject(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, forbidden("delete_project")
	}
	id := c.PathValue("id")
	if !k.projects.Remove(id) {
		return nil, notFound("project", id)
	}
	k.grants = slices.DeleteFunc(k.grants, func(g grant) bool { return g.project == id })
	for tokenID, t := range k.tokens {
		if t.caller.ProjectID == id {
			delete(k.tokens, tokenID)
		}
	}
	return oslo.NoContent(), nil
}
