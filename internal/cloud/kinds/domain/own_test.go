package domain_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/domain"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/endpoint"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/project"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/role"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/roleassignment"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/service"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/user"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const orc = "apiVersion: openstack.k-orc.cloud/v1alpha1\n"

func identities(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{domain.Kind(c), project.Kind(c), user.Kind(c), role.Kind(c), roleassignment.Kind(c), service.Kind(c), endpoint.Kind(c)}
}

// A domain that contains users or projects of others is neither deleted nor disabled. The message does not name these
// users and projects.
func TestAttackDomainThatOthersUse(t *testing.T) {
	g := kindtest.NewTarget(t, identities).Beside("admin")
	c, name := g.Client(nil), "shop-"+rand.Text()
	shop := orc + "kind: Domain\nmetadata: {name: shop}\nspec: {resource: {name: " + name + "}}\n"
	own := "---\n" + orc + "kind: User\nmetadata: {name: ours}\nspec: {resource: {name: " + name + ", domainRef: shop}}\n"
	id := g.MustSync(shop + own).Last.Steps[0].ID()
	if id == "" {
		id = g.Plan(shop + own).Steps[0].ID()
	}
	disabled := strings.Replace(shop, "resource: {", "resource: {enabled: false, ", 1)
	g.MustSync(disabled + own) // this is allowed: the stack made everything in the domain
	g.MustSync(shop + own)
	for _, of := range []string{"user", "group", "project"} {
		var made map[string]struct{ ID string }
		do(t, c, cloud.Call{Method: http.MethodPost, Path: of + "s", Into: &made, Body: map[string]any{of: map[string]any{"name": "another-" + name, "domain_id": id}}})
		for _, text := range []string{disabled + own, ""} {
			pass := g.Sync(text)
			if said := fmt.Sprint(pass.Failures); !strings.Contains(said, "1 "+of+"s that this stack did not make") || strings.Contains(said, "another-") {
				t.Errorf("%s in it: %s: %s", of, pass.Outcome(), said)
			}
		}
		var shown struct{ Domain struct{ Enabled bool } }
		do(t, c, cloud.Call{Method: http.MethodGet, Path: "domains/" + id, Into: &shown})
		do(t, c, cloud.Call{Method: http.MethodGet, Path: of + "s/" + made[of].ID})
		if !shown.Domain.Enabled {
			t.Errorf("the domain that another's %s is in is disabled", of)
		}
		do(t, c, cloud.Call{Method: http.MethodDelete, Path: of + "s/" + made[of].ID})
	}
	if pass := g.MustSync(""); pass.Last.Owned != 0 {
		t.Errorf("%d objects are left", pass.Last.Owned)
	}
}

func do(t *testing.T, c *cloud.Client, call cloud.Call) {
	t.Helper()
	if call.Service = cloud.Identity; c.Do(t.Context(), call) != nil {
		t.Fatal(c.Do(t.Context(), call))
	}
}

// No commit can delete an object that the agent's own login needs, because no later commit could repair that.
func TestAttackTheAgentItself(t *testing.T) {
	g := kindtest.NewTarget(t, identities).Beside("admin")
	if g.Simulator == nil {
		t.Skip("would delete what others use, if it could")
	}
	c := g.Client(nil)
	own := c.Login()
	grants := []string{}
	for _, id := range own.Roles {
		grants = append(grants, "projects/"+own.Project+"/users/"+own.User+"/roles/"+id)
	}
	ids := map[string][]string{"Domain": own.Domains, "Project": {own.Project}, "User": {own.User}, "Role": own.Roles, "RoleAssignment": grants, "Service": own.Services, "Endpoint": own.Endpoints}
	for _, k := range identities(c, g.Defaults) {
		kept, items := 0, list(t, k)
		for _, item := range items {
			if slices.Contains(ids[k.Info.Kind], item.ID) {
				kept++
				item.Mark = &kind.Mark{Owner: "stackreeve:" + g.Stack + ":" + k.Info.Kind + "/x"}
				if _, err := k.Driver.Delete(t.Context(), *item); err == nil || !strings.Contains(err.Error(), "this agent itself logs in with this") {
					t.Errorf("%s %s: deleted, or %v", k.Info.Kind, item.Name, err)
				}
			}
		}
		if kept == 0 || len(list(t, k)) != len(items) {
			t.Errorf("%s: %d of the agent's own; %d of %d are left", k.Info.Kind, kept, len(list(t, k)), len(items))
		}
	}
}

// No commit can delete an object that the login of another entry of clouds.yaml needs. The secrets of both
// entries are removed from all messages.
func TestAttackWhatAnotherEntryLogsInWith(t *testing.T) {
	g := kindtest.NewTarget(t, identities)
	if g.Simulator == nil {
		t.Skip("would delete what others use, if it could")
	}
	file := filepath.Join(t.TempDir(), "clouds.yaml")
	if err := os.WriteFile(file, g.Simulator.CloudsYAML(), 0o600); err != nil {
		t.Fatal(err)
	}
	main := open(t, cloud.Config{Cloud: "demo", File: file})
	admin := open(t, cloud.Config{Cloud: "admin", File: file, Beside: main})
	own := main.Login()
	for kindName, id := range map[string]string{"Project": own.Project, "User": own.User, "Role": own.Roles[0]} {
		k := identities(admin, g.Defaults)[slices.IndexFunc(identities(admin, g.Defaults), func(k *kind.Kind) bool { return k.Info.Kind == kindName })]
		for _, item := range list(t, k) {
			if item.ID != id {
				continue
			}
			item.Mark = &kind.Mark{Owner: "stackreeve:" + g.Stack + ":" + kindName + "/x"}
			if _, err := k.Driver.Delete(t.Context(), *item); err == nil || !strings.Contains(err.Error(), "this agent itself logs in with this") {
				t.Errorf("%s %s: deleted, or %v", kindName, item.Name, err)
			}
		}
	}
	for _, other := range []*cloud.Client{main, admin} {
		for _, secret := range other.Secrets() {
			if !slices.Contains(main.AllSecrets(), secret) || !slices.Contains(admin.AllSecrets(), secret) {
				t.Error("a secret of one entry is none of the other's")
			}
		}
		if len(other.Secrets()) == 0 {
			t.Error("there are no secrets")
		}
	}
}

func open(t *testing.T, cfg cloud.Config) *cloud.Client {
	t.Helper()
	c, err := cloud.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func list(t *testing.T, k *kind.Kind) []*kind.Live {
	t.Helper()
	items, err := k.Driver.List(t.Context(), kind.Listing{})
	if err != nil {
		t.Fatal(err)
	}
	return items.Items()
}

// No commit can disable or rename an object that the agent's own login needs.
func TestAttackTheAgentItselfDisabled(t *testing.T) {
	g := kindtest.NewTarget(t, identities).Beside("admin")
	if g.Simulator == nil {
		t.Skip("would disable what others use, if it could")
	}
	own := g.Client(nil).Login()
	for kindName, of := range map[string]struct{ id, name string }{"Domain": {own.Domains[0], "Default"}, "Project": {own.Project, "admin"}, "User": {own.User, "admin"}} {
		adopted := orc + "kind: " + kindName + "\nmetadata: {name: x}\nspec: {managedOptions: {onDelete: detach}, import: {id: " + of.id + "}, resource: {name: " + of.name + "}}\n"
		if pass := g.Sync(adopted); pass.Outcome() != plan.InSync {
			t.Fatalf("%s: %v", kindName, pass.Failures)
		}
		for _, change := range []string{"enabled: false, name: " + of.name, "name: other"} {
			pass := g.Sync(strings.Replace(adopted, "name: "+of.name+"}}", change+"}}", 1))
			if said := fmt.Sprint(pass.Failures); !strings.Contains(said, "this agent itself logs in with this") {
				t.Errorf("%s with %s: %s %s", kindName, change, pass.Outcome(), said)
			}
		}
		g.MustSync(adopted)
	}
}
