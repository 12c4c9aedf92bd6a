package flavor_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/flavor"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind { return []*kind.Kind{flavor.Kind(c)} }

const head = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Flavor\nmetadata: {name: os}\nspec: "

func TestImport(t *testing.T) {
	tests := []struct {
		name, spec string
		code       cause.Code // "" if the flavor is found
	}{
		{"by name", `{managementPolicy: unmanaged, import: {filter: {name: n3-1vcpu-2gb}}}`, ""},
		{"by all there is", `{managementPolicy: unmanaged, import: {filter: {name: n3-1vcpu-2gb, ram: 2048, vcpus: 1, disk: 20}}}`, ""},
		{"of another size", `{managementPolicy: unmanaged, import: {filter: {name: n3-1vcpu-2gb, ram: 4096}}}`, cause.NoName},
		{"misspelt", `{managementPolicy: unmanaged, import: {filter: {name: n3-1vpcu-2gb}}}`, cause.NearestNames},
		{"by a size that no flavor has", `{managementPolicy: unmanaged, import: {filter: {vcpus: 4001}}}`, cause.NoMatch},
		{"by ID", `{managementPolicy: unmanaged, import: {id: no-such-flavor}}`, cause.NoID},
	}
	g := kindtest.NewTarget(t, kinds)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			step := g.Plan(head + tt.spec).Steps[0]
			if tt.code == "" && step.Action != plan.Keep || tt.code != "" && !step.Causes.Has(tt.code) {
				t.Errorf("%s: %q, want %s", step.Action, step.FullCause(), tt.code)
			}
		})
	}
}

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: large}
spec:
  resource:
    name: NAME
    description: for databases
    ram: 512
    vcpus: 2
    disk: 1
    swap: 64
    ephemeral: 1
    isPublic: false
    extraSpecs: [{name: "hw:cpu_policy", value: shared}, {name: "vendor:tier", value: "1"}]
`

func named() string { return strings.Replace(object, "NAME", "large-"+strings.ToLower(rand.Text()), 1) }

func suite() kindtest.Suite {
	return kindtest.Suite{
		Kinds: kinds, Administrator: true, Object: named(), Key: manifest.Key{Group: define.OrcGroup, Kind: "Flavor", Namespace: "default", Name: "large"},
		Edits: []kindtest.Edit{{Field: "spec.resource.extraSpecs", Old: `, {name: "vendor:tier", value: "1"}`, New: `, {name: "vendor:speed", value: "2"}`},
			{Field: "spec.resource.id", Old: "    ram: 512\n", New: "    ram: 512\n    id: large.1\n", Replaces: true, PlanOnly: true}},
	}
}

func TestLaws(t *testing.T) { suite().Run(t) }

// If a flavor has no swap disk, Nova before 2.75 shows "".
func TestNoSwap(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	text := strings.NewReplacer("    swap: 64\n", "", "    ephemeral: 1\n", "").Replace(named())
	g.MustSync(text)
	if pass := g.Sync(text); pass.Outcome() != plan.InSync || len(pass.Results) > 0 {
		t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
	}
}

func TestSwapIsASize(t *testing.T) {
	kindtest.NewTarget(t, kinds).Refuses(map[string]string{
		"swap: -1":   "spec.resource.swap",
		"swap: some": "spec.resource.swap",
		"swap: 1.5":  "spec.resource.swap",
	}, func(swap string) string { return strings.Replace(named(), "swap: 64", swap, 1) })
}

// If the cloud's flavors cannot have a description, no flavor is created, because it could not have a mark.
func TestOldNova(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin").Through((&kindtest.Older{Compute: "2.54"}).Wrap)
	pass := g.Sync(named())
	if text := fmt.Sprint(pass.Failures); !strings.Contains(text, "2.55") {
		t.Errorf("failures are %s", text)
	}
}

// Members can use existing flavors. If a manifest makes one, the message says what that needs.
func TestMembersMakeNoFlavors(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if pass := g.Sync(named()); len(pass.Failures) != 1 {
		t.Errorf("failures are %v", pass.Failures)
	}
}
