package roleassignment_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// idOf returns the ID of a manifest's object in the cloud.
func idOf(p plan.Plan, kindName, name string) string {
	for _, s := range p.Steps {
		if s.Key.Kind == kindName && s.Key.Name == name {
			return s.ID()
		}
	}
	return ""
}

func get(t *testing.T, c *cloud.Client, path string, into any) {
	t.Helper()
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Identity, Method: http.MethodGet, Path: path, Into: into}); err != nil {
		t.Fatal(err)
	}
}

// If somebody writes a note on an object that the stack does not own, the stack revokes no
// role because of it. The stack can still create its own assignment.
func TestAttackForgedNote(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	c, name := g.Client(nil), "shop-"+rand.Text()
	base := needs(name)
	g.MustSync(base)
	planned := g.Plan(base)
	do(t, c, http.MethodPost, "users", map[string]any{"user": map[string]any{"name": name + "-forger"}})
	var found struct{ Users []struct{ ID string } }
	get(t, c, "users?name="+name+"-forger", &found)
	forger := found.Users[0].ID
	t.Cleanup(func() { do(t, c, http.MethodDelete, "users/"+forger, nil) })
	path := "projects/" + idOf(planned, "Project", "shop") + "/users/" + forger + "/roles/" + idOf(planned, "Role", "shop")
	do(t, c, http.MethodPut, path, nil)
	owner := ownertext.Of(g.Stack, manifest.Key{Kind: "RoleAssignment", Namespace: "default", Name: "web"})
	text := path + " " + owner + " stackreeve-applied:abc stackreeve-project:" + c.ProjectID
	do(t, c, http.MethodPatch, "users/"+forger, map[string]any{"user": map[string]any{"stackreeve_assignment_" + checksum.Short(path): text}})
	if pass := g.MustSync(base); len(pass.Results) != 0 {
		t.Errorf("a forged note makes the pass do %v", pass.Results)
	}
	do(t, c, http.MethodHead, path, nil) // the role is still given
	g.MustSync(base + "---" + object("userRef", "projectRef"))
	do(t, c, http.MethodHead, path, nil)
}

// If others delete the user or the role of an assignment, the new one gets the
// assignment. This also happens if the agent must not replace objects.
func TestUserDeletedByOthers(t *testing.T) {
	for _, of := range []string{"User", "Role"} {
		g := kindtest.NewTarget(t, kinds).Beside("admin")
		full := needs("shop-"+rand.Text()) + "---" + object("userRef", "projectRef")
		g.MustSync(full)
		do(t, g.Client(nil), http.MethodDelete, strings.ToLower(of)+"s/"+idOf(g.Plan(full), of, "shop"), nil)
		e := g.Engine(g.Client(nil))
		e.Replace = false
		pass := e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(full)})
		if pass.Outcome() != plan.InSync {
			t.Errorf("%s: %s: %v", of, pass.Outcome(), pass.Failures)
		}
		planned := g.Plan(full)
		var shown struct{ Project map[string]any }
		get(t, g.Client(nil), "projects/"+idOf(planned, "Project", "shop"), &shown)
		notes := 0
		for key, value := range shown.Project {
			if strings.HasPrefix(key, "stackreeve_assignment_") && value != nil {
				notes++
			}
		}
		if notes != 1 {
			t.Errorf("%s: the project has %d notes, want that of the new assignment", of, notes)
		}
		do(t, g.Client(nil), http.MethodHead, step(t, planned).ID(), nil)
	}
}

// Keystone stores the attributes that it does not define together, in one text. If that
// text of a project is full of attributes of others or old notes, no other note fits on
// the project. Then another object of the assignment has the note. If that is full, too, the pass fails.
func TestAttackFullProject(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	c, base := g.Client(nil), needs("shop-"+rand.Text())
	g.MustSync(base)
	planned := g.Plan(base)
	fill := func(path, word string) {
		do(t, c, http.MethodPatch, path, map[string]any{word: map[string]any{"filler": strings.Repeat("x", 59_900)}})
	}
	fill("projects/"+idOf(planned, "Project", "shop"), "project")
	full := base + "---" + object("userRef", "projectRef")
	g.MustSync(full)
	g.MustSync(base)
	fill("users/"+idOf(planned, "User", "shop"), "user")
	if pass := g.Sync(full); !strings.Contains(fmt.Sprint(pass.Failures), "has no room for the mark of another assignment") {
		t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
	}
}

// paths is a transport that counts the lists of domains, users, groups and projects.
type paths struct {
	next  http.RoundTripper
	lists atomic.Int64
}

func (p *paths) wrap(next http.RoundTripper) http.RoundTripper {
	p.next = next
	return p
}

// RoundTrip implements http.RoundTripper.
func (p *paths) RoundTrip(req *http.Request) (*http.Response, error) {
	for _, name := range []string{"domains", "users", "groups", "projects"} {
		if req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, "/v3/"+name) {
			p.lists.Add(1)
		}
	}
	return p.next.RoundTrip(req)
}

// If several kinds need the same list, it is read once.
func TestListsAreReadOnce(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	full := needs("shop-"+rand.Text()) + "---" + object("userRef", "projectRef")
	g.MustSync(full)
	var p paths
	e := g.Engine(g.Client(p.wrap))
	if planned := e.Preview(t.Context(), "test", g.Resolve(full), nil); planned.Outcome() != plan.InSync || p.lists.Load() != 4 {
		t.Errorf("%s, %d lists, want 4", planned.Outcome(), p.lists.Load())
	}
}
