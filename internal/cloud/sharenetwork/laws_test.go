package sharenetwork_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

const needs = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: files}
spec: {resource: {name: share-files}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: files}
spec: {resource: {name: share-files, networkRef: files, ipVersion: 4, cidr: 10.61.0.0/24}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: others}
spec: {resource: {name: share-others}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: others}
spec: {resource: {name: share-others, networkRef: others, ipVersion: 4, cidr: 10.62.0.0/24}}
`

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ShareNetwork
metadata: {name: office}
spec:
  resource:
    name: office-files
    description: where files are served
    networkRef: files
    subnetRef: files
`

const (
	networkField = "spec.resource.networkRef"
	subnetField  = "spec.resource.subnetRef"
	both         = "    networkRef: files\n    subnetRef: files\n"
)

var key = manifest.Key{Group: define.OrcGroup, Kind: "ShareNetwork", Namespace: "default", Name: "office"}

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Needs: needs, Object: object, Key: key,
		Edits: []kindtest.Edit{
			{Field: networkField, Old: both, New: "    networkRef: others\n    subnetRef: others\n", Also: []string{subnetField}},
			{Field: networkField, Old: both, New: "", Also: []string{subnetField}},
			{Field: subnetField, Old: both, New: "    networkRef: files\n    subnetRef: others\n"},
		},
	}.Run(t)
}
