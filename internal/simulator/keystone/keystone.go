// Package keystone simulates the identity service: users, projects, roles,
// tokens, application credentials and the catalog.
//
// It knows no resource of the other services. One domain exists ("default"),
// and policies are Zed's defaults: the role admin may do everything, others see
// themselves and their projects.
package keystone

import (
	"fmt"
	"net/http"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

const domainID = "default"

// Region is the one region of the simulated cloud.
const Region = "RegionOne"

// Keystone is the identity service.
type Keystone struct {
	cloud *oslo.Cloud
	svc   *oslo.Service
	ttl   time.Duration

	projects    *oslo.Collection[project]
	users       *oslo.Collection[user]
	roles       *oslo.Collection[role]
	grants      []grant
	credentials *oslo.Collection[credential]
	tokens      map[string]*token
	catalog     []catalogService
}

type project struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	DomainID    string         `json:"domain_id"`
	Description string         `json:"description"`
	Enabled     bool           `json:"enabled"`
	ParentID    string         `json:"parent_id"`
	IsDomain    bool           `json:"is_domain"`
	Tags        []string       `json:"tags"`
	Options     map[string]any `json:"options"`
}

type user struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	DomainID string         `json:"domain_id"`
	Enabled  bool           `json:"enabled"`
	Expires  *string        `json:"password_expires_at"`
	Options  map[string]any `json:"options"`

	password string
}

type role struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	DomainID    *string        `json:"domain_id"`
	Description *string        `json:"description"`
	Options     map[string]any `json:"options"`
}

type grant struct{ user, project, role string }

// New registers the identity service. A token lives for ttl.
func New(cloud *oslo.Cloud, ttl time.Duration) *Keystone {
	k := &Keystone{cloud: cloud, ttl: ttl, tokens: map[string]*token{}}
	k.projects = oslo.NewCollection(func(p *project) string { return p.ID })
	k.users = oslo.NewCollection(func(u *user) string { return u.ID })
	k.roles = oslo.NewCollection(func(r *role) string { return r.ID })
	k.credentials = oslo.NewCollection(func(c *credential) string { return c.ID })
	k.svc = &oslo.Service{Name: "keystone", Types: []string{"identity"}, Prefix: "/identity", Endpoint: "/v3", Render: render}
	cloud.Register(k.svc)
	cloud.UseTokens(k)
	k.routes()
	return k
}

func (k *Keystone) routes() {
	k.svc.HandlePublic("GET /{$}", k.versions)
	k.svc.HandlePublic("GET /v3", k.version)
	k.svc.HandlePublic("POST /v3/auth/tokens", k.issue)
	k.svc.Handle("GET /v3/auth/tokens", k.validate)
	k.svc.Handle("DELETE /v3/auth/tokens", k.revoke)
	k.svc.Handle("GET /v3/auth/catalog", k.showCatalog)
	k.svc.Handle("GET /v3/auth/projects", k.ownProjects)
	k.svc.Handle("GET /v3/domains", k.listDomains)
	k.svc.Handle("GET /v3/domains/{id}", k.showDomain)
	k.svc.Handle("GET /v3/regions", k.listRegions)
	k.svc.Handle("GET /v3/regions/{id}", k.showRegion)
	k.svc.Handle("GET /v3/services", k.listServices)
	k.svc.Handle("GET /v3/endpoints", k.listEndpoints)
	k.projectRoutes()
	k.userRoutes()
	k.credentialRoutes()
}

// AddProject makes a project and returns its id.
func (k *Keystone) AddProject(name, description string) string {
	p := &project{ID: k.cloud.HexID(), Name: name, DomainID: domainID, Description: description, Enabled: true,
		ParentID: domainID, Tags: []string{}, Options: map[string]any{}}
	k.projects.Add(p)
	return p.ID
}

// AddUser makes a user and returns its id.
func (k *Keystone) AddUser(name, password string) string {
	u := &user{ID: k.cloud.HexID(), Name: name, DomainID: domainID, Enabled: true, Options: map[string]any{}, password: password}
	k.users.Add(u)
	return u.ID
}

// AddRole makes a role.
func (k *Keystone) AddRole(name string, immutable bool) {
	r := &role{ID: k.cloud.HexID(), Name: name, Options: map[string]any{}}
	if immutable {
		r.Options["immutable"] = true
	}
	k.roles.Add(r)
}

// Grant gives a user roles in a project; unknown roles are left out.
func (k *Keystone) Grant(userID, projectID string, roles ...string) {
	for _, name := range roles {
		for r := range k.roles.All() {
			if r.Name == name {
				k.grants = append(k.grants, grant{userID, projectID, r.ID})
			}
		}
	}
}

// ProjectExists reports whether there is such a project.
func (k *Keystone) ProjectExists(id string) bool {
	_, ok := k.projects.Get(id)
	return ok
}

// render adds the newline that Flask ends JSON errors with.
func render(e *oslo.Error) (string, []byte) {
	if e.Kind == "HTTPNotFound" {
		return "text/html; charset=utf-8", []byte("<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n" +
			"<p>The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.</p>\n")
	}
	kind, body := oslo.RenderKeystone(e)
	return kind, append(body, '\n')
}

func unauthorized(c *oslo.Call) *oslo.Error {
	e := oslo.Errorf(http.StatusUnauthorized, "Unauthorized", "The request you have made requires authentication.")
	e.Header = http.Header{"Www-Authenticate": {fmt.Sprintf("Keystone uri=%q", c.Base+"/v3")}}
	return e
}

// forbidden is keystone/exception.py: ForbiddenAction.
func forbidden(action string) *oslo.Error {
	return oslo.Errorf(http.StatusForbidden, "ForbiddenAction", "You are not authorized to perform the requested action: identity:%s.", action)
}

func notFound(what, id string) *oslo.Error {
	return oslo.Errorf(http.StatusNotFound, "NotFound", "Could not find %s: %s.", what, id)
}

// malformed is keystone/exception.py: ValidationError.
func malformed(attribute, target string) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, "ValidationError", "Expecting to find %s in %s. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.", attribute, target)
}

// list wraps a collection with Keystone's links.
func list(c *oslo.Call, name string, items []any) *oslo.Response {
	if items == nil {
		items = []any{}
	}
	at := c.Base + c.URL.Path
	if c.URL.RawQuery != "" {
		at += "?" + c.URL.RawQuery
	}
	return oslo.OK(map[string]any{name: items, "links": map[string]any{"next": nil, "previous": nil, "self": at}})
}

func self(c *oslo.Call, path string) map[string]string {
	return map[string]string{"self": c.Base + "/v3/" + path}
}

// UserID finds a user by name; empty if there is none.
func (k *Keystone) UserID(name string) string {
	for u := range k.users.All() {
		if u.Name == name {
			return u.ID
		}
	}
	return ""
}

// ProjectID finds a project by name; empty if there is none.
func (k *Keystone) ProjectID(name string) string {
	for p := range k.projects.All() {
		if p.Name == name {
			return p.ID
		}
	}
	return ""
}
