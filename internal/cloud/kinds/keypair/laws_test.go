package keypair_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/keypair"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const (
	key     = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1sUMn8G7ZzPpxaWC4oMNDmCqFvPBpVxTcgGY0pTx9u"
	another = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFqTXwb4yEb8cLuyLPA4DI6q1WKQKzcgg+/04bj96ria"
)

func TestLaws(t *testing.T) {
	name := "ops-" + rand.Text()
	kindtest.Suite{
		Kinds: func(c *cloud.Client, _ defaults.Defaults) []*kind.Kind { return []*kind.Kind{keypair.Kind(c)} },
		Key:   manifest.Key{Group: define.OrcGroup, Kind: "KeyPair", Namespace: "default", Name: "ops"},
		Object: `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: KeyPair
metadata: {name: ops}
spec:
  resource:
    name: ` + name + `
    type: ssh
    publicKey: ` + key + ` ops team at example.org
`,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.name", Old: name, New: name + "-2", Replaces: true},
			{Field: "spec.resource.publicKey", Old: key, New: another, Replaces: true},
			{Field: "spec.resource.publicKey", Old: "ops team at example.org", New: "the ops team", Replaces: true},
		},
		Unseen: map[string]string{"spec.resource.type": "has one value only"},
	}.Run(t)
}

// A user's key pairs belong to no project, but the name of a stack is unique only within one project. So a stack with
// the same name in another project must not treat this stack's key pair as its own.
func TestNamesakeInAnotherProject(t *testing.T) {
	kinds := func(c *cloud.Client, _ defaults.Defaults) []*kind.Kind { return []*kind.Kind{keypair.Kind(c)} }
	g := kindtest.NewTarget(t, kinds)
	name := "ops-" + rand.Text()
	text := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: KeyPair\nmetadata: {name: ops}\nspec: {resource: {name: " + name + ", publicKey: " + key + "}}\n"
	g.MustSync(text)
	here := g.Client(nil)
	var pair struct {
		Keypair struct {
			UserID string `json:"user_id"`
		} `json:"keypair"`
	}
	if err := here.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: "GET", Path: "os-keypairs/" + name, Into: &pair}); err != nil {
		t.Fatal(err)
	}
	other := inAnotherProject(t, g, pair.Keypair.UserID)
	if other.ProjectID == here.ProjectID {
		t.Fatalf("both are in project %s", here.ProjectID)
	}
	namesake := g.Engine(other)
	if plan := namesake.Preview(t.Context(), "test", nil, nil); plan.Owned != 0 || len(plan.Steps) != 0 {
		t.Errorf("a namesake in another project owns %d objects: %v", plan.Owned, plan.Steps)
	}
	planned := namesake.Preview(t.Context(), "test", g.Resolve(text), nil)
	if step := planned.Steps[0]; step.Action != plan.Refuse || !step.Causes.Has(cause.NameTaken) {
		t.Errorf("%s: %s; want a refusal that names who has the name", step.Action, step.FullCause())
	}
}

// Nova cannot rename a key pair. If the manifest is renamed, the key pair keeps its name in the cloud.
func TestKeepsItsNameWhenItsManifestIsRenamed(t *testing.T) {
	g := kindtest.NewTarget(t, func(c *cloud.Client, _ defaults.Defaults) []*kind.Kind { return []*kind.Kind{keypair.Kind(c)} })
	name := "ops-" + strings.ToLower(rand.Text())
	text := func(metadata string) string {
		return "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: KeyPair\nmetadata: {" + metadata + "}\nspec: {resource: {publicKey: " + key + "}}\n"
	}
	g.MustSync(text("name: " + name))
	moved := text("name: " + name + "-2, annotations: {stackreeve.dev/moved-from: KeyPair/" + name + "}")
	if step := g.Plan(moved).Steps[0]; step.Action == plan.Recreate || step.ID() != name {
		t.Errorf("%s %s: %v", step.Action, step.ID(), step.Changes)
	}
}
