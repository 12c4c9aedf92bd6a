package volumebackup_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/image"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/volume"
	"github.com/stackreeve/stackreeve/internal/cloud/volumebackup"
	"github.com/stackreeve/stackreeve/internal/cloud/volumesnapshot"
	"github.com/stackreeve/stackreeve/internal/cloud/volumetype"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []kind.Kind {
	return []kind.Kind{image.Kind(c, defaults.Defaults{}), volumetype.Kind(c), volume.Kind(c), volumesnapshot.Kind(c), volumebackup.Kind(c)}
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

// Backups are there for the day on which the volume is not: neither its loss nor another
// one of its name touches them.
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
			t.Errorf("%s %s: %s", step.Action, step.Key, step.Reason)
		}
	}
	g.MustSync("---" + strings.Replace(plain, "spec:\n", "spec:\n  managedOptions: {onDelete: delete}\n", 1) + "---" + needs)
	for _, step := range g.Plan(needs + "---" + strings.Replace(plain, "volumeRef: data", "volumeRef: other", 1)).Steps {
		if !kept(step) {
			t.Errorf("%s %s: %s", step.Action, step.Key, step.Reason)
		}
	}
}

// Incremental backups follow the one that they are of, and go before it.
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
