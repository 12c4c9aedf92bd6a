package project_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/domain"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/network"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/project"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{domain.Kind(c), project.Kind(c), network.Kind(c)}
}

func TestLaws(t *testing.T) {
	name := "shop-" + rand.Text()
	kindtest.Suite{
		Kinds: kinds, Administrator: true,
		Key:   manifest.Key{Group: define.OrcGroup, Kind: "Project", Namespace: "default", Name: "web"},
		Needs: kindtest.Domains(name),
		Object: `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Project
metadata: {name: web}
spec:
  resource:
    name: "` + name + ` "
    description: where the shop is
    enabled: true
    domainRef: shop
    tags: [web, shop]
`,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.domainRef", Old: "domainRef: shop", New: "domainRef: store", Replaces: true},
		},
	}.Run(t)
}

// of is the manifests of a project that is imported by its ID, and of a network in that project.
func of(g *kindtest.Target, id string) string {
	return strings.ReplaceAll(head+"{managementPolicy: unmanaged, import: {id: "+id+"}}\n"+`---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {name: NAME, projectRef: p}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: found}
spec: {managementPolicy: unmanaged, import: {filter: {name: NAME, projectRef: p}}}
`, "NAME", g.Stack)
}

func TestProjectOfTheStack(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if pass := g.Sync(of(g, g.Client(nil).ProjectID)); pass.Outcome() != plan.InSync {
		t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
	}
}

// A project that does not belong to the stack can be imported and listed, and an administrator can
// create objects in it. They can be deleted while a Project manifest still refers to that project.
func TestProjectOfOthers(t *testing.T) {
	demo := kindtest.NewTarget(t, kinds)
	admin := demo.Beside("admin")
	id := demo.Client(nil).ProjectID
	for _, step := range admin.MustSync(of(admin, id)).Last.Steps {
		if step.Key.Kind == "Network" && step.Key.Name == "front" && step.Have.Project != id {
			t.Errorf("it is in project %s, not %s", step.Have.Project, id)
		}
	}
	if pass := admin.MustSync(head + "{managementPolicy: unmanaged, import: {id: " + id + "}}"); pass.Last.Owned != 0 {
		t.Errorf("%d objects are left", pass.Last.Owned)
	}
}

// If a manifest names another project than that of its object, the object is not replaced, because no
// object can be moved to another project.
func TestProjectOfOthersIsAddedLater(t *testing.T) {
	demo := kindtest.NewTarget(t, kinds)
	admin := demo.Beside("admin")
	id := admin.Client(nil).ProjectID
	admin.Sync(of(admin, id))
	planned := admin.Plan(strings.ReplaceAll(of(admin, demo.Client(nil).ProjectID), "projectRef: p}}}", "}}}"))
	for _, step := range planned.Steps {
		if step.Key.Kind == "Network" && step.Key.Name == "front" && (step.Action == plan.Recreate || !strings.Contains(fmt.Sprint(step.Notes), "the object stays in project "+id)) {
			t.Errorf("%s: %v", step.Action, step.Notes)
		}
	}
}

const head = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Project\nmetadata: {name: p}\nspec: "

func TestImport(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	tests := []struct {
		name, spec string
		code       cause.Code // "" if the project is found
	}{
		{"by ID", `{managementPolicy: unmanaged, import: {id: ` + g.Client(nil).ProjectID + `}}`, ""},
		{"by a name there is not", `{managementPolicy: unmanaged, import: {filter: {name: no-such-project}}}`, cause.NoName},
		{"by a tag it lacks", `{managementPolicy: unmanaged, import: {filter: {tags: [no-such-tag]}}}`, cause.NoMatch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			step := g.Plan(head + tt.spec).Steps[0]
			if tt.code == "" && step.Action != plan.Keep || tt.code != "" && !step.Causes.Has(tt.code) {
				t.Errorf("%s: %q, want %s", step.Action, step.FullCause(), tt.code)
			}
		})
	}
}

func TestTagsThatKeystoneRefuses(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if _, err := g.TryResolve(head + `{resource: {tags: [ok, a/b]}}`); !kindtest.Refuses(err, "spec.resource.tags[1]") {
		t.Errorf("error is %v", err)
	}
}

// A member of a project finds that project. To a member who wants to create a project, the message says
// what is needed.
func TestMembersMakeNoProjects(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	pass := g.Sync(head + `{resource: {name: ` + g.Stack + `}}`)
	if text := fmt.Sprint(pass.Failures); !strings.Contains(text, "lacks the role that Keystone's policy requires") {
		t.Errorf("failures are %s", text)
	}
}

// If the manifest of the agent's own project is removed, the project is not deleted, because that would
// lock the agent out.
func TestOwnProjectIsKept(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	if g.Simulator == nil {
		t.Skip("would write on a project that others use")
	}
	own := g.Client(nil).ProjectID
	g.MustSync(head + `{import: {id: ` + own + `}, resource: {name: admin}}`)
	pass := g.Sync("")
	if text := fmt.Sprint(pass.Failures); !strings.Contains(text, "this agent itself logs in with this project") {
		t.Errorf("failures are %s", text)
	}
	g.MustSync(head + `{managedOptions: {onDelete: detach}, import: {id: ` + own + `}, resource: {name: admin}}`)
}

// Names of projects are unique only within a domain.
func TestNamesAreOfADomain(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	name := "shop-" + rand.Text()
	domain := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Domain\nmetadata: {name: shop}\nspec: {resource: {name: " + name + "}}\n---\n"
	g.MustSync(domain + head + `{resource: {name: admin, domainRef: shop}}`)
	step := g.Plan(head + `{resource: {name: admin}}`).Steps[0]
	if step.Key.Kind != "Project" || step.Action == plan.Create {
		t.Errorf("%s %s: %s", step.Action, step.Key, step.FullCause())
	}
}
