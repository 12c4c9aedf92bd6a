// Package keystone simulates the identity service: users, projects, roles,
// tokens, application credentials and the catalog.
//
// It knows no resource of the other services. Users can log in to one domain
// ("default") only, and groups have no members. Policies are Zed's defaults: the
// role admin may do everything, other users see themselves and their projects.
package keystone

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

const domainID = "default"

// Region is the only region of the simulated cloud.
const Region = "RegionOne"

// Keystone is the identity service.
type Keystone struct {
	cloud *oslo.Cloud
	svc   *oslo.Service
	ttl   time.Duration

	domains     *oslo.Collection[domain]
	groups      *oslo.Collection[group]
	services    *oslo.Collection[service]
	ends        *oslo.Collection[endpoint]
	projects    *oslo.Collection[project]
	users       *oslo.Collection[user]
	roles       *oslo.Collection[role]
	grants      []grant
	rules       []*accessRule
	credentials *oslo.Collection[credential]
	tokens      map[string]*token
	catalog     []catalogService
}

// New registers the identity service. A token expires after ttl.
func New(cloud *oslo.Cloud, ttl time.Duration) *Keystone {
	k := &Keystone{cloud: cloud, ttl: ttl, tokens: map[string]*token{}}
	k.domains = oslo.NewCollection(func(d *domain) string { return d.ID })
	k.groups = oslo.NewCollection(func(g *group) string { return g.ID })
	k.services = oslo.NewCollection(func(s *service) string { return s.ID })
	k.ends = oslo.NewCollection(func(e *endpoint) string { return e.ID })
	description := "The default domain"
	k.domains.Add(&domain{ID: domainID, Name: "Default", Description: &description, Enabled: true, Tags: []string{}, Options: map[string]any{}})
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
	k.svc.Handle("GET /v3/regions", k.listRegions)
	k.svc.Handle("GET /v3/regions/{id}", k.showRegion)
	k.objects()
	k.grantRoutes()
	k.credentialRoutes()
}

// AddProject makes a project and returns its ID.
func (k *Keystone) AddProject(name, description string) string {
	p := &project{ID: k.cloud.HexID(), Name: name, DomainID: domainID, Description: &description, Enabled: true,
		ParentID: domainID, Tags: []string{}, Options: map[string]any{}}
	k.projects.Add(p)
	return p.ID
}

// AddUser makes a user and returns its ID.
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

// Grant gives a user roles in a project; unknown roles are ignored.
func (k *Keystone) Grant(userID, projectID string, roles ...string) {
	for _, name := range roles {
		for r := range k.roles.All() {
			if r.Name == name {
				k.grants = append(k.grants, grant{"projects", projectID, "users", userID, r.ID})
			}
		}
	}
}

// Revoke takes a role from a user in a project.
func (k *Keystone) Revoke(userID, projectID, role string) {
	for r := range k.roles.All() {
		if r.Name == role {
			k.grants = slices.DeleteFunc(k.grants, func(g grant) bool { return g == grant{"projects", projectID, "users", userID, r.ID} })
		}
	}
}

// ProjectExists reports whether a project with that ID exists.
func (k *Keystone) ProjectExists(id string) bool {
	_, ok := k.projects.Get(id)
	return ok
}

// render encodes an error, with the newline at the end of Flask's JSON errors.
func render(e *oslo.Error) (string, []byte) {
	if e.Kind == "HTTPNotFound" {
		return "text/html; charset=utf-8", []byte("<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n" +
			"<p>The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.</p>\n")
	}
	kind, body := oslo.RenderKeystone(e)
	return kind, append(body, '\n')
}

// Administrator is a role that may manage all objects of this service.
const Administrator = oslo.Manager

func administers(c *oslo.Caller) bool { return c.Manages() }

func unauthorized(c *oslo.Call) *oslo.Error {
	e := oslo.Errorf(http.StatusUnauthorized, "Unauthorized", "The request you have made requires authentication.")
	e.Header = http.Header{"Www-Authenticate": {fmt.Sprintf("Keystone uri=%q", c.Base+"/v3")}}
	return e
}

// forbidden mirrors keystone/exception.py: ForbiddenAction.
func forbidden(action string) *oslo.Error {
	return oslo.Errorf(http.StatusForbidden, "ForbiddenAction", "You are not authorized to perform the requested action: identity:%s.", action)
}

func notFound(what, id string) *oslo.Error {
	return oslo.Errorf(http.StatusNotFound, "NotFound", "Could not find %s: %s.", what, id)
}

// malformed mirrors keystone/exception.py: ValidationError.
func malformed(attribute, target string) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, "ValidationError", "Expecting to find %s in %s. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.", attribute, target)
}

// list encodes a collection with Keystone's links.
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

// UserID is the ID of the user with a name; empty if there is none.
func (k *Keystone) UserID(name string) string {
	for u := range k.users.All() {
		if u.Name == name {
			return u.ID
		}
	}
	return ""
}

// ProjectID is the ID of the project with a name; empty if there is none.
func (k *Keystone) ProjectID(name string) string {
	for p := range k.projects.All() {
		if p.Name == name {
			return p.ID
		}
	}
	return ""
}
