package volumesnapshot_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/image"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volume"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumesnapshot"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumetype"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{image.Kind(c, defaults.Defaults{}), volumetype.Kind(c), volume.Kind(c), volumesnapshot.Kind(c)}
}

const needs = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data}
spec: {resource: {size: 1}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: other}
spec: {resource: {size: 1}}
`

const object = `
apiVersion: stackreeve.dev/v1alpha1
kind: VolumeSnapshot
metadata: {name: monday}
spec:
  resource:
    name: monday-1
    description: "before the change\n"
    volumeRef: data
    force: true
    metadata: [{name: role, value: store}]
`

var key = manifest.Key{Group: define.WorkloadGroup, Kind: "VolumeSnapshot", Namespace: "default", Name: "monday"}

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: kinds, Needs: needs, Object: object, Key: key,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.volumeRef", Old: "volumeRef: data", New: "volumeRef: other", Replaces: true},
			{Field: "spec.resource.metadata", Old: "value: store", New: "value: cache"},
		},
		Unseen: map[string]string{"spec.resource.force": "is of the request that makes it"},
	}.Run(t)
}

// In one pass, a volume is deleted after its snapshots, and the cloud refuses nothing.
func TestVolumesGoAfterTheirSnapshots(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.MustSync(needs + "---" + object)
	var count kindtest.Counter
	pass := g.SyncThrough("", count.Wrap)
	if pass.Outcome() != plan.InSync || pass.Last.Owned != 0 || count.Writes.Load() != 3 {
		t.Errorf("%s: %d are left after %d writes: %v", pass.Outcome(), pass.Last.Owned, count.Writes.Load(), pass.Failures)
	}
}

// If a snapshot of a volume stays, the volume is not deleted, and the plan says why.
func TestSnapshotsKeepTheirVolume(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	kept := strings.Replace(object, "{name: monday}", "{name: monday, annotations: {stackreeve.dev/prune: \"false\"}}", 1)
	g.MustSync(needs + "---" + kept)
	for _, s := range g.Plan("").Steps {
		if s.Key.Kind == "Volume" && s.Key.Name == "data" && (s.Action == plan.Delete || !s.Causes.Has(cause.CannotDelete)) {
			t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
		}
	}
	g.MustSync(needs + "---" + object)
}

// Cinder refuses a snapshot of an attached volume unless it is forced.
func TestForce(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("takes a server")
	}
	g.MustSync(needs)
	c := g.Client(nil)
	list, err := cloud.List[struct{ ID string }](t.Context(), c, cloud.Call{Service: cloud.BlockStorage, Path: "volumes"}, "volumes")
	if err != nil {
		t.Fatal(err)
	}
	admin := g.Beside("admin").Client(nil)
	reset := func(status string) {
		for _, v := range list {
			if err := admin.Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "volumes/" + v.ID + "/action",
				Body: map[string]any{"os-reset_status": map[string]any{"status": status}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	reset("in-use")
	pass := g.Sync(needs + "---" + strings.Replace(object, "    force: true\n", "", 1))
	if text := fmt.Sprint(pass.Failures); !strings.Contains(text, "set spec.resource.force") {
		t.Errorf("failures are %s", text)
	}
	g.MustSync(needs + "---" + object)
	reset("available")
}
