package router_test

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
metadata: {name: public}
spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}
`

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Router
metadata: {name: edge}
spec:
  resource:
    name: edge-router
    description: the way out
    tags: [web, blue]
    adminStateUp: true
    externalGateways:
    - networkRef: public
`

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Needs: needs, Object: object,
		Key: manifest.Key{Group: define.OrcGroup, Kind: "Router", Namespace: "default", Name: "edge"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.externalGateways", Old: "externalGateways:\n    - networkRef: public", New: "externalGateways: []"},
			{Field: "spec.resource.externalGateways", Old: "description: the way out\n    tags: [web, blue]\n    adminStateUp: true\n    externalGateways:\n    - networkRef: public",
				New: "description: in", Also: []string{"spec.resource.description", "spec.resource.tags"}},
		},
	}.Run(t)
}
