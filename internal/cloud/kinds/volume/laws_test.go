package volume_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/image"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volume"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volumetype"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{image.Kind(c, defaults.Defaults{}), volumetype.Kind(c), volume.Kind(c)}
}

const needs = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: VolumeType
metadata: {name: fast}
spec: {managementPolicy: unmanaged, import: {filter: {name: ssd}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: VolumeType
metadata: {name: other}
spec: {managementPolicy: unmanaged, import: {filter: {name: fake}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: os}
spec: {managementPolicy: unmanaged, import: {filter: {name: centos79}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: other-os}
spec: {managementPolicy: unmanaged, import: {filter: {name: cirros}}}
`

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data}
spec:
  resource:
    name: data-1
    description: |
      what must not be lost
    size: 2
    volumeTypeRef: fast
    availabilityZone: az-a
    metadata: [{name: role, value: store}]
    imageRef: os
`

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: kinds, Needs: needs, Object: object,
		Key: manifest.Key{Group: define.OrcGroup, Kind: "Volume", Namespace: "default", Name: "data"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.name", Old: "data-1", New: "data-2"},
			{Field: "spec.resource.description", Old: "what must not be lost", New: "scratch"},
			{Field: "spec.resource.metadata", Old: "value: store", New: "value: cache"},
			{Field: "spec.resource.size", Old: "size: 2", New: "size: 3"},
			{Field: "spec.resource.size", Old: "size: 2", New: "size: 1", Replaces: true},
			{Field: "spec.resource.volumeTypeRef", Old: "volumeTypeRef: fast", New: "volumeTypeRef: other", Replaces: true},
			{Field: "spec.resource.volumeTypeRef", Old: "volumeTypeRef: fast", New: "volumeTypeRef: other", Way: "retype"},
			{Field: "spec.resource.volumeTypeRef", Old: "volumeTypeRef: fast", New: "volumeTypeRef: other", Way: "migrate"},
			{Field: "spec.resource.availabilityZone", Old: "az-a", New: "az-b", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.imageRef", Old: "imageRef: os", New: "imageRef: other-os", Replaces: true},
			{Field: "spec.resource.imageRef", Old: "imageRef: os", New: "imageRef: other-os", Way: "reimage"},
		},
		Unseen: map[string]string{"spec.resource.snapshotRef": "matters only when the volume is made", "spec.resource.sourceVolumeRef": "matters only when the volume is made",
			"spec.resource.backupRef": "matters only when the volume is made"},
	}.Run(t)
}
