package volumetype_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/image"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volume"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumetype"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{volumetype.Kind(c)}
}

const head = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: VolumeType\nmetadata: {name: fast}\nspec: "

func TestImport(t *testing.T) {
	tests := []struct {
		name, spec string
		code       cause.Code // "" if the type is found
	}{
		{"by name", `{managementPolicy: unmanaged, import: {filter: {name: ssd}}}`, ""},
		{"by all there is", `{managementPolicy: unmanaged, import: {filter: {name: ssd, isPublic: true}}}`, ""},
		{"that is not public", `{managementPolicy: unmanaged, import: {filter: {name: ssd, isPublic: false}}}`, cause.NoName},
		{"misspelt", `{managementPolicy: unmanaged, import: {filter: {name: sdd}}}`, cause.NearestNames},
		{"by a description that none has", `{managementPolicy: unmanaged, import: {filter: {description: nothing like it}}}`, cause.NoMatch},
		{"by ID", `{managementPolicy: unmanaged, import: {id: 00000000-0000-0000-0000-000000000000}}`, cause.NoID},
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

func TestLaws(t *testing.T) {
	name := "gold-" + strings.ToLower(rand.Text())
	kindtest.Suite{
		Kinds: kinds, Administrator: true, Key: manifest.Key{Group: define.OrcGroup, Kind: "VolumeType", Namespace: "default", Name: "gold"},
		Object: `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: VolumeType
metadata: {name: gold}
spec:
  resource:
    name: ` + name + `
    description: on flash
    isPublic: true
    extraSpecs: [{name: volume_backend_name, value: flash}, {name: "vendor:tier", value: "1"}]
`,
		Edits: []kindtest.Edit{{Field: "spec.resource.extraSpecs", Old: `, {name: "vendor:tier", value: "1"}`, New: `, {name: "vendor:speed", value: "2"}`}},
	}.Run(t)
}

const managed = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: VolumeType
metadata: {name: gold}
spec: {resource: {name: NAME, isPublic: false, extraSpecs: [{name: "vendor:tier", value: "1"}]}}
`

const using = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data}
spec: {resource: {size: 1, volumeTypeRef: gold}}
`

// Private types are found, and not changed. A type is deleted after its volumes, and
// its extra specs cannot be changed while it has volumes.
func TestTypesAndTheirVolumes(t *testing.T) {
	g := kindtest.NewTarget(t, func(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
		return []*kind.Kind{image.Kind(c, defaults.Defaults{}), volumetype.Kind(c), volume.Kind(c)}
	}).Beside("admin")
	all := strings.Replace(managed, "NAME", "gold-"+strings.ToLower(rand.Text()), 1) + using
	g.MustSync(all)
	if pass := g.Sync(all); pass.Outcome() != plan.InSync || len(pass.Results) > 0 {
		t.Errorf("second pass: %s: %v", pass.Outcome(), pass.Failures)
	}
	pass := g.Sync(strings.Replace(all, `value: "1"`, `value: "2"`, 1))
	if !strings.Contains(fmt.Sprint(pass.Failures), "in use") {
		t.Errorf("failures are %v", pass.Failures)
	}
	var count kindtest.Counter
	if pass := g.SyncThrough("", count.Wrap); pass.Outcome() != plan.InSync || count.Writes.Load() != 2 {
		t.Errorf("%s after %d writes: %v", pass.Outcome(), count.Writes.Load(), pass.Failures)
	}
}

// Members can use existing types. To a member who wants to create a type, the message
// says what is needed.
func TestMembersMakeNoTypes(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	pass := g.Sync(strings.Replace(managed, "NAME", g.Stack, 1))
	if len(pass.Failures) != 1 {
		t.Errorf("failures are %v", pass.Failures)
	}
}
