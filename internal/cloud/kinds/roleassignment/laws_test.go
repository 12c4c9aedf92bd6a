package roleassignment_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/domain"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/group"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/project"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/role"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/roleassignment"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/secret"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/user"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{secret.Kind(), domain.Kind(c), project.Kind(c), role.Kind(c), group.Kind(c), user.Kind(c), roleassignment.Kind(c)}
}

// needs are the manifests of two objects of each kind to which an assignment refers.
func needs(name string) string {
	var text strings.Builder
	for _, kind := range []string{"Domain", "Project", "User", "Group", "Role"} {
		for _, which := range []string{"shop", "store"} {
			fmt.Fprintf(&text, "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: %s\nmetadata: {name: %s}\nspec: {resource: {name: %s}}\n", kind, which, name+"-"+which)
		}
	}
	return text.String()
}

func object(who, where string) string {
	return `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: RoleAssignment
metadata: {name: web}
spec:
  resource:
    roleRef: shop
    ` + who + `: shop
    ` + where + `: shop
`
}

func TestLaws(t *testing.T) {
	for _, of := range []struct{ who, where, otherWho, otherWhere string }{
		{"userRef", "projectRef", "groupRef", "domainRef"}, {"groupRef", "domainRef", "userRef", "projectRef"},
	} {
		replaced := func(field, before, after string) kindtest.Edit {
			return kindtest.Edit{Field: "spec.resource." + field, Old: before, New: after, Replaces: true}
		}
		t.Run(of.who+" "+of.where, func(t *testing.T) {
			kindtest.Suite{
				Kinds: kinds, Administrator: true, Needs: needs("shop-" + rand.Text()), Object: object(of.who, of.where),
				Key: manifest.Key{Group: define.OrcGroup, Kind: "RoleAssignment", Namespace: "default", Name: "web"},
				Edits: []kindtest.Edit{
					replaced("roleRef", "roleRef: shop", "roleRef: store"),
					replaced(of.who, of.who+": shop", of.who+": store"),
					replaced(of.where, of.where+": shop", of.where+": store"),
					replaced(of.otherWho, of.who+": shop", of.otherWho+": shop"),
					replaced(of.otherWhere, of.where+": shop", of.otherWhere+": shop"),
				},
			}.Run(t)
		})
	}
}

// step returns the step of the assignment in the plan.
func step(t *testing.T, p plan.Plan) plan.Step {
	t.Helper()
	for _, s := range p.Steps {
		if s.Key.Kind == "RoleAssignment" {
			return s
		}
	}
	t.Fatal("the plan has no step for the assignment")
	return plan.Step{}
}

func do(t *testing.T, c *cloud.Client, method, path string, body any) {
	t.Helper()
	if err := c.Do(context.WithoutCancel(t.Context()), cloud.Call{Service: cloud.Identity, Method: method, Path: path, Body: body}); err != nil {
		t.Fatal(err)
	}
}

// An assignment that others have given does not belong to the stack, and the stack does
// not adopt it. It stays if no manifest mentions it.
func TestAssignmentsOfOthersStay(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	base := needs("shop-" + rand.Text())
	full := base + "---" + object("userRef", "projectRef")
	id := step(t, g.MustSync(full).Last).ID()
	if id == "" {
		id = step(t, g.Plan(full)).ID()
	}
	g.MustSync(base)
	c := g.Client(nil)
	do(t, c, http.MethodPut, id, nil)
	if planned := g.Plan(base); planned.Outcome() != plan.InSync {
		t.Errorf("another's assignment: %s", planned.Outcome())
	}
	if s := step(t, g.Plan(full)); s.Action != plan.Refuse || !strings.Contains(s.FullCause(), "import.id: "+id) {
		t.Errorf("%s: %s, want a refusal that says how to adopt it", s.Action, s.FullCause())
	}
	g.MustSync(strings.Replace(full, "roleRef: shop", "roleRef: shop", 1) + "  import: {id: " + id + "}\n")
	if pass := g.MustSync(base); pass.Last.Owned != 10 {
		t.Errorf("%d objects are owned once the adopted one is gone, want 10", pass.Last.Owned)
	}
}

// If somebody revokes an assignment by hand, it is given again, and nothing is
// destroyed.
func TestTakenBack(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	full := needs("shop-"+rand.Text()) + "---" + object("groupRef", "projectRef")
	g.MustSync(full)
	do(t, g.Client(nil), http.MethodDelete, step(t, g.Plan(full)).ID(), nil)
	s := step(t, g.Plan(full))
	if d, harms := s.Harm(); s.Action != plan.Update || harms && d > kind.InPlace {
		t.Errorf("%s: %v", s.Action, s.Changes)
	}
	g.MustSync(full)
}

// Keystone gives an assignment no ID, so its status shows none, as in K-ORC.
func TestStatusHasNoID(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	full := needs("shop-"+rand.Text()) + "---" + object("groupRef", "projectRef")
	g.MustSync(full)
	for _, o := range status.Of(g.Plan(full), kinds(nil, defaults.Defaults{})) {
		if none := o.Kind == "RoleAssignment"; (o.Status.ID == "") != none {
			t.Errorf("%s/%s has the ID %q", o.Kind, o.Metadata.Name, o.Status.ID)
		}
	}
}

// If the stack owns none of the assignment's objects, no object can have the mark.
func TestNothingBearsTheMark(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	text := strings.NewReplacer("roleRef: shop", "roleRef: reader", "userRef: shop", "userRef: demo", "projectRef: shop", "projectRef: demo").Replace(object("userRef", "projectRef"))
	for _, of := range []string{"Role reader", "User demo", "Project admin"} {
		kind, name, _ := strings.Cut(of, " ")
		text += "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: " + kind + "\nmetadata: {name: " + strings.Replace(name, "admin", "demo", 1) +
			"}\nspec: {managementPolicy: unmanaged, import: {filter: {name: " + name + "}}}\n"
	}
	pass := g.Sync(text)
	if said := fmt.Sprint(pass.Failures); !strings.Contains(said, "no object can have the owner mark") {
		t.Errorf("failures are %s", said)
	}
}

// A copy of the mark on an object outside the assignment does not make the owner
// uncertain. Neither does a mark in any other form.
func TestAttackCopiedNotes(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	base := needs("shop-" + rand.Text())
	full := base + "---" + object("userRef", "projectRef")
	g.MustSync(full)
	c := g.Client(nil)
	var bearer, other string
	for _, s := range g.Plan(full).Steps {
		if s.Key.Kind == "Project" && s.Key.Name == "shop" {
			bearer = s.ID()
		} else if s.Key.Kind == "Project" {
			other = s.ID()
		}
	}
	var shown struct{ Project map[string]any }
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Identity, Method: http.MethodGet, Path: "projects/" + bearer, Into: &shown}); err != nil {
		t.Fatal(err)
	}
	copied := map[string]any{"stackreeve_assignment_x": []int{1}}
	for key, value := range shown.Project {
		if strings.HasPrefix(key, "stackreeve_assignment_") {
			copied[key] = strings.Replace(value.(string), ":"+g.Stack+":", ":other:", 1)
		}
	}
	if len(copied) != 2 {
		t.Fatalf("the project has %v", copied)
	}
	do(t, c, http.MethodPatch, "projects/"+other, map[string]any{"project": copied})
	if pass := g.MustSync(full); len(pass.Results) != 0 || pass.Last.Owned != 11 {
		t.Errorf("%d steps, %d objects owned", len(pass.Results), pass.Last.Owned)
	}
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.Refuses(map[string]string{
		object("userRef", "projectRef") + "    groupRef: shop\n": "spec.resource",
		object("userRef", "groupRef"):                            "spec.resource",
	}, func(text string) string { return needs("shop") + "---" + text })
}
