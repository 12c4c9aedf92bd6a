package project_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/network"
	"github.com/stackreeve/stackreeve/internal/cloud/project"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []kind.Kind {
	return []kind.Kind{project.Kind(c), network.Kind(c)}
}

// of is a project and a network in it; the project is found by its ID.
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

// A project that is not the stack's own can be found and looked through; made
// in it is nothing, and what is made already stays.
func TestProjectOfOthers(t *testing.T) {
	demo := kindtest.NewTarget(t, kinds)
	admin := demo.Beside("admin")
	pass := admin.Sync(of(admin, demo.Client(nil).ProjectID))
	got := fmt.Sprint(pass.Failures)
	if !strings.Contains(got, "projectRef") || !strings.Contains(got, "a stack of its own") || pass.Last.Owned != 0 {
		t.Errorf("%s: %d made: %s", pass.Outcome(), pass.Last.Owned, got)
	}
}

// What exists is not recreated for the sake of a project that nothing can be
// moved to.
func TestProjectOfOthersIsAddedLater(t *testing.T) {
	demo := kindtest.NewTarget(t, kinds)
	admin := demo.Beside("admin")
	id := admin.Client(nil).ProjectID
	admin.Sync(of(admin, id))
	planned := admin.Plan(strings.ReplaceAll(of(admin, demo.Client(nil).ProjectID), "projectRef: p}}}", "}}}"))
	for _, step := range planned.Steps {
		if step.Key.Kind == "Network" && step.Key.Name == "front" && (step.Action == plan.Recreate || !strings.Contains(fmt.Sprint(step.Notes), "it stays in project "+id)) {
			t.Errorf("%s: %v", step.Action, step.Notes)
		}
	}
}

const head = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Project\nmetadata: {name: p}\nspec: "

func TestImport(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	tests := []struct{ name, spec, reason string }{
		{"by ID", `{managementPolicy: unmanaged, import: {id: ` + g.Client(nil).ProjectID + `}}`, ""},
		{"by a name there is not", `{managementPolicy: unmanaged, import: {filter: {name: no-such-project}}}`, "no project named no-such-project"},
		{"by a tag it lacks", `{managementPolicy: unmanaged, import: {filter: {tags: [no-such-tag]}}}`, "correct the filter"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			step := g.Plan(head + tt.spec).Steps[0]
			if tt.reason == "" && step.Action != plan.Keep || !strings.Contains(step.Reason, tt.reason) {
				t.Errorf("%s: %q, want %q", step.Action, step.Reason, tt.reason)
			}
		})
	}
}

func TestManagedIsRefused(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if _, err := g.TryResolve(head + `{resource: {}}`); err == nil || !strings.Contains(err.Error(), "managementPolicy: unmanaged") {
		t.Errorf("error is %v, want advice to import", err)
	}
}
