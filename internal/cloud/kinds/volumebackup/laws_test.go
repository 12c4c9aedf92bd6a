package volumebackup_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/image"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volume"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumebackup"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumesnapshot"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumetype"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{image.Kind(c, defaults.Defaults{}), volumetype.Kind(c), volume.Kind(c), volumesnapshot.Kind(c), volumebackup.Kind(c)}
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
---
apiVersion: stackreeve.dev/v1alpha1
kind: VolumeSnapshot
metadata: {name: monday}
spec: {resource: {volumeRef: data}}
`

const object = `
apiVersion: stackreeve.dev/v1alpha1
kind: VolumeBackup
metadata: {name: monday}
spec:
  resource:
    name: monday-1
    description: "before the change\n"
    volumeRef: data
    snapshotRef: monday
    force: true
    metadata: [{name: role, value: store}]
`

const once = "matters only when the backup is made"

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: kinds, Needs: needs, Object: object,
		Key: manifest.Key{Group: define.WorkloadGroup, Kind: "VolumeBackup", Namespace: "default", Name: "monday"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.metadata", Old: "value: store", New: "value: cache"},
		},
		Unseen: map[string]string{"spec.resource.volumeRef": once, "spec.resource.snapshotRef": once, "spec.resource.incremental": once, "spec.resource.force": once,
			"spec.resource.container": once, "spec.resource.availabilityZone": once},
	}.Run(t)
}

// Backups are needed when the volume is lost. Therefore neither the loss of the volume nor a new volume with its name changes them.
func TestBackupsOutliveTheirVolume(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	plain := strings.Replace(object, "    snapshotRef: monday\n", "", 1)
	g.MustSync(needs + "---" + plain)
	kept := func(step plan.Step) bool {
		return step.Key.Kind != "VolumeBackup" || step.Action == plan.Keep || step.Action == plan.Update
	}
	lost := strings.NewReplacer("{size: 1}", "{size: 1, availabilityZone: az-b}", "name: monday}\nspec: {resource: {volumeRef: data}}", "name: monday}\nspec: {resource: {volumeRef: other}}").Replace(needs)
	for _, step := range g.Plan(lost + "---" + plain).Steps {
		if !kept(step) {
			t.Errorf("%s %s: %s", step.Action, step.Key, step.FullCause())
		}
	}
	g.MustSync("---" + strings.Replace(plain, "spec:\n", "spec:\n  managedOptions: {onDelete: delete}\n", 1) + "---" + needs)
	for _, step := range g.Plan(needs + "---" + strings.Replace(plain, "volumeRef: data", "volumeRef: other", 1)).Steps {
		if !kept(step) {
			t.Errorf("%s %s: %s", step.Action, step.Key, step.FullCause())
		}
	}
}

// An incremental backup is created after the backup on which it is based, and deleted before it.
func TestIncremental(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	chain := needs + "---" + strings.Replace(object, "    snapshotRef: monday\n", "", 1)
	g.MustSync(chain)
	chain += "---" + strings.NewReplacer("{name: monday}", "{name: tuesday}", "monday-1", "tuesday-1", "    snapshotRef: monday\n", "    incremental: true\n").Replace(object)
	g.MustSync(chain)
	if pass := g.MustSync(""); pass.Last.Owned != 0 {
		t.Errorf("%d are left", pass.Last.Owned)
	}
}

// If Cinder forbids a deletion, or refuses it for a lasting reason, the deletion is requested only once. The error names the objects
// because of which the backup stays. If an incremental backup was not made by the stack, it stays, and so does the backup on which it is
// based (Launchpad 2163042).
func TestRefusedDeletionsAreFinal(t *testing.T) {
	plain := needs + "---" + strings.Replace(object, "    snapshotRef: monday\n", "", 1)
	g := kindtest.NewTarget(t, kinds)
	pass := g.MustSync(plain)
	at := slices.IndexFunc(pass.Last.Steps, func(s plan.Step) bool { return s.Key.Kind == "VolumeBackup" })
	id, volume := pass.Last.Steps[at].ID(), ""
	for _, s := range pass.Last.Steps {
		if s.Key.Kind == "Volume" && s.Key.Name == "data" {
			volume = s.ID()
		}
	}
	var made struct {
		Backup struct {
			ID string `json:"id"`
		} `json:"backup"`
	}
	admin := g.Client(nil)
	err := admin.Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "backups", Into: &made,
		Body: map[string]any{"backup": map[string]any{"volume_id": volume, "name": "by-hand", "incremental": true}}})
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		status int
		named  string
	}{
		"based on":  {0, made.Backup.ID},
		"forbidden": {http.StatusForbidden, "policy"},
		"otherwise": {http.StatusBadRequest, "policy"},
	} {
		asked := 0
		pass := g.SyncThrough(needs, func(next http.RoundTripper) http.RoundTripper {
			return tripper(func(r *http.Request) (*http.Response, error) {
				if r.Method != http.MethodDelete || !strings.HasSuffix(r.URL.Path, "/backups/"+id) {
					return next.RoundTrip(r)
				}
				if asked++; c.status == 0 {
					return next.RoundTrip(r)
				}
				return &http.Response{StatusCode: c.status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
					Body: io.NopCloser(strings.NewReader(`{"error": {"message": "the policy of this cloud says so"}}`))}, nil
			})
		})
		if asked != 1 || len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), c.named) {
			t.Errorf("%s: asked %d times: %v", what, asked, pass.Failures)
		}
	}
	if err := admin.Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodDelete, Path: "backups/" + made.Backup.ID}); err != nil {
		t.Fatal(err)
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }
