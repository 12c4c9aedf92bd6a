package server_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/configmap"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/flavor"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/image"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/keypair"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/secret"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/server"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/servergroup"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volume"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{configmap.Kind(), secret.Kind(), image.Kind(c, defaults.Defaults{}), flavor.Kind(c), keypair.Kind(c),
		servergroup.Kind(c), volume.Kind(c), server.Kind(c, nil)}
}

const needs = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: os}
spec: {managementPolicy: unmanaged, import: {filter: {name: centos79}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: other-os}
spec: {managementPolicy: unmanaged, import: {filter: {name: cirros}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: small}
spec: {managementPolicy: unmanaged, import: {filter: {name: m1.nano}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: tiny}
spec: {managementPolicy: unmanaged, import: {filter: {name: m1.tiny}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ServerGroup
metadata: {name: near}
spec: {resource: {policy: soft-affinity}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ServerGroup
metadata: {name: apart}
spec: {resource: {policy: soft-anti-affinity}}
---
apiVersion: v1
kind: Secret
metadata: {name: scripts}
stringData: {value: "#!/bin/sh\necho one\n", other: "#!/bin/sh\necho two\n"}
`

const keyPair = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: KeyPair
metadata: {name: server-laws}
spec: {resource: {publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1sUMn8G7ZzPpxaWC4oMNDmCqFvPBpVxTcgGY0pTx9u one"}}
`

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: web}
spec:
  resource:
    name: web-1
    description: says hello
    imageRef: os
    flavorRef: small
    userData: {secretKeyRef: {name: scripts, key: value}}
    ports: []
    availabilityZone: az-a
    tags: [web, blue]
    metadata: [{key: role, value: front}]
    configDrive: false
    schedulerHints: {serverGroupRef: near, additionalProperties: {rack: r1}}
`

var key = manifest.Key{Group: define.OrcGroup, Kind: "Server", Namespace: "default", Name: "web"}

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: kinds, Key: key, Needs: needs + keyPair, Object: object, Together: true,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.name", Old: "web-1", New: "web-2"},
			{Field: "spec.resource.description", Old: "says hello", New: "says good night"},
			{Field: "spec.resource.imageRef", Old: "imageRef: os", New: "imageRef: other-os", Replaces: true},
			{Field: "spec.resource.flavorRef", Old: "flavorRef: small", New: "flavorRef: tiny", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.userData", Old: "key: value}}", New: "key: other}}", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.imageRef", Old: "imageRef: os", New: "imageRef: other-os", Way: "rebuild"},
			{Field: "spec.resource.flavorRef", Old: "flavorRef: small", New: "flavorRef: tiny", Way: "resize"},
			{Field: "spec.resource.userData", Old: "key: value}}", New: "key: other}}", Way: "rebuild"},
			{Field: "spec.resource.availabilityZone", Old: "az-a", New: "az-b", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.keypairRef", Old: "ports: []", New: "ports: []\n    keypairRef: server-laws", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.keypairRef", Old: "ports: []", New: "ports: []\n    keypairRef: server-laws", Way: "rebuild"},
			{Field: "spec.resource.tags", Old: "[web, blue]", New: "[web, green]"},
			{Field: "spec.resource.metadata", Old: "value: front", New: "value: back"},
			{Field: "spec.resource.configDrive", Old: "configDrive: false", New: "configDrive: true", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.schedulerHints.serverGroupRef", Old: "serverGroupRef: near", New: "serverGroupRef: apart", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.schedulerHints", Old: "rack: r1", New: "rack: r2", Replaces: true, PlanOnly: true},
		},
	}.Run(t)
}
