package volumesnapshotschedule_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/image"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volume"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumebackup"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumesnapshot"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumesnapshotschedule"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumetype"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{image.Kind(c, defaults.Defaults{}), volumetype.Kind(c), volume.Kind(c), volumesnapshot.Kind(c), volumesnapshotschedule.Kind(c), volumebackup.Kind(c)}
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
kind: VolumeSnapshotSchedule
metadata: {name: nightly}
spec:
  volumeRef: data
  schedule: "0 3 * * *"
  timeZone: Europe/Berlin
  keep: 2
  keepFor: 720h
  onDelete: delete
`

var key = manifest.Key{Group: define.WorkloadGroup, Kind: "VolumeSnapshotSchedule", Namespace: "default", Name: "nightly"}

const (
	inMark  = "nothing but the mark says in the cloud what was applied"
	further = "is about those that are taken from then on"
)

func suite(object string) kindtest.Suite {
	return kindtest.Suite{
		Kinds: kinds, Needs: needs, Object: object, Key: key,
		Edits: []kindtest.Edit{{Field: kind.MarkField, Old: "0 3 * * *", New: "0 4 * * *"}},
		Unseen: map[string]string{"spec.volumeRef": further, "spec.schedule": inMark, "spec.timeZone": inMark, "spec.keep": inMark, "spec.keepFor": inMark,
			"spec.type": further, "spec.container": further, "spec.onDelete": inMark},
		Unadopted: "what people take by hand is no part of a series",
	}
}

func TestLaws(t *testing.T) { suite(object).Run(t) }

func TestLawsOfBackups(t *testing.T) {
	s := suite(strings.Replace(object, "  keep: 2\n", "  keep: 2\n  type: Backup\n  container: nightly\n", 1))
	s.Partial = true
	s.Run(t)
}
