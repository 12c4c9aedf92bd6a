package subnetpool_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

const needs = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: AddressScope
metadata: {name: one}
spec: {resource: {ipVersion: 4}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: AddressScope
metadata: {name: two}
spec: {resource: {ipVersion: 4}}
`

const object = `
apiVersion: stackreeve.dev/v1alpha1
kind: SubnetPool
metadata: {name: inside}
spec:
  resource:
    name: inside-pool
    description: for all inside
    tags: [web, blue]
    prefixes: [10.90.0.0/16, 10.91.0.0/16]
    addressScopeRef: one
    defaultPrefixLength: 26
    minPrefixLength: 20
    maxPrefixLength: 28
    defaultQuota: 1000
`

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Needs: needs, Object: object,
		Key: manifest.Key{Group: define.WorkloadGroup, Kind: "SubnetPool", Namespace: "default", Name: "inside"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.prefixes", Old: "10.91.0.0/16]", New: "10.91.0.0/16, 10.92.0.0/16]"},
			{Field: "spec.resource.prefixes", Old: ", 10.91.0.0/16]", New: "]", Replaces: true},
			{Field: "spec.resource.addressScopeRef", Old: "addressScopeRef: one", New: "addressScopeRef: two"},
			{Field: "spec.resource.addressScopeRef", Old: "    addressScopeRef: one\n", New: ""},
		},
		Unseen: map[string]string{"spec.resource.projectRef": "has laws of its own, see TestLawsInAnotherProject"},
	}.Run(t)
}

// If Neutron chooses the lengths of prefixes, the answer to a create request contains them
// as texts.
func TestLengthsChosenByTheCloud(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	few := "apiVersion: stackreeve.dev/v1alpha1\nkind: SubnetPool\nmetadata: {name: inside}\nspec: {resource: {prefixes: [\"fd00:77::/48\"]}}"
	g.MustSync(few)
	if shown := g.Shown(few, manifest.Key{Kind: "SubnetPool", Name: "inside"}); shown["minPrefixLength"] != 64.0 || shown["ipVersion"] != 6.0 {
		t.Errorf("shown: %v", shown)
	}
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Refuses(map[string]string{
		"{prefixes: [10.0.0.0/8, \"fd00::/48\"]}":                               "spec.resource.prefixes[1]",
		"{prefixes: [10.0.0.0/8], maxPrefixLength: 33}":                         "spec.resource.maxPrefixLength",
		"{prefixes: [10.0.0.0/8], minPrefixLength: 28, maxPrefixLength: 20}":    "spec.resource.minPrefixLength",
		"{prefixes: [10.0.0.0/8], minPrefixLength: 20, defaultPrefixLength: 8}": "spec.resource.defaultPrefixLength",
	}, func(spec string) string {
		return "apiVersion: stackreeve.dev/v1alpha1\nkind: SubnetPool\nmetadata: {name: one}\nspec: {resource: " + spec + "}"
	})
}
