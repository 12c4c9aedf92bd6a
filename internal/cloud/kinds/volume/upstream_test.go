package volume_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// Cinder itself adds keys to a volume's metadata. They do not count as a change, and the agent writes them only if
// the manifest names them.
func TestMetadataOfCinderItself(t *testing.T) {
	const text = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Volume\nmetadata: {name: data}\nspec: {resource: {size: 1, metadata: [{name: role, value: store}]}}"
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(text)
	id := g.MustSync(text).Last.Steps[0].ID()
	if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "volumes/" + id + "/action",
		Body: map[string]any{"os-update_readonly_flag": map[string]any{"readonly": true}}}); err != nil {
		t.Fatal(err)
	}
	const named = "{name: role, value: store}, {name: readonly, value: \"True\"}"
	for _, manifest := range []string{text, strings.Replace(text, "size: 1,", "size: 1, description: of the shop,", 1), strings.Replace(text, "{name: role, value: store}", named, 1)} {
		g.MustSync(manifest)
		if pass := g.MustSync(manifest); len(pass.Results) > 0 {
			t.Errorf("the second pass did something: %v", pass.Results)
		}
		var wrote struct{ Metadata map[string]string }
		if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Path: "volumes/" + id + "/metadata", Into: &wrote}); err != nil {
			t.Fatal(err)
		}
		if _, copied := wrote.Metadata["readonly"]; copied != strings.Contains(manifest, named) {
			t.Errorf("what people wrote is %v", wrote.Metadata)
		}
	}
}

// If a volume is in error and the stack forbids replacements, the volume is neither deleted nor replaced, with and
// without annotations (hashicorp/terraform#10376, terraform-provider-openstack#969).
func TestAUsedVolumeIsNotRecreatedForAnError(t *testing.T) {
	const text = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: d, annotations: {stackreeve.dev/prune: "false", stackreeve.dev/replace: refuse, stackreeve.dev/drift: report}}
spec: {resource: {size: 1}}`
	for name, manifest := range map[string]string{
		"kept":     text,
		"detached": strings.Replace(text, `stackreeve.dev/prune: "false"`, "stackreeve.dev/on-delete: detach", 1),
		"silent":   strings.Replace(text, `stackreeve.dev/prune: "false", stackreeve.dev/replace: refuse, stackreeve.dev/drift: report`, "", 1),
	} {
		t.Run(name, func(t *testing.T) {
			g := kindtest.NewTarget(t, all.Kinds)
			g.Only(manifest)
			id := g.MustSync(manifest).Last.Steps[0].ID()
			if err := g.Beside("admin").Client(nil).Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "volumes/" + id + "/action",
				Body: map[string]any{"os-reset_status": map[string]any{"status": "error"}}}); err != nil {
				t.Fatal(err)
			}
			e := g.Engine(g.Client(nil))
			e.Replace, e.Policies = false, []plan.Policy{guard.NoPrune, guard.ReportDrift(true)}
			pass := e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(manifest)})
			if s := pass.Last.Steps[0]; len(pass.Results) > 0 || s.ID() != id || s.Action != plan.Refuse {
				t.Errorf("%d done; %s %s: %s", len(pass.Results), s.Action, s.ID(), s.FullCause())
			}
		})
	}
}

// If the creation of a volume fails, the agent deletes the volume and creates another one, so no failed volume is
// left (terraform-provider-openstack#1936, K-ORC issue 19).
func TestAVolumeThatCouldNotBeMadeIsNotLeft(t *testing.T) {
	const text = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Volume\nmetadata: {name: failed}\nspec: {resource: {name: failed-at-first, size: 1}}"
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(text)
	first := g.MustSync(text).Last.Steps[0].ID()
	if err := g.Beside("admin").Client(nil).Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "volumes/" + first + "/action",
		Body: map[string]any{"os-reset_status": map[string]any{"status": "error"}}}); err != nil {
		t.Fatal(err)
	}
	if s := g.Plan(text).Steps[0]; s.Action != plan.Recreate || s.ID() != first {
		t.Errorf("%s %s: %s", s.Action, s.ID(), s.FullCause())
	}
	g.MustSync(text)
	list, err := cloud.List[struct{ ID, Name string }](t.Context(), g.Client(nil), cloud.Call{Service: cloud.BlockStorage, Path: "volumes"}, "volumes")
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, v := range list {
		if v.Name == "failed-at-first" {
			left++
		}
		if v.ID == first {
			t.Error("the one that failed is left")
		}
	}
	if left != 1 {
		t.Errorf("%d volumes, want one", left)
	}
}
