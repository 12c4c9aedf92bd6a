package addressgroup_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

const object = `
apiVersion: stackreeve.dev/v1alpha1
kind: AddressGroup
metadata: {name: offices}
spec:
  resource:
    name: our-offices
    description: where we work
    addresses: [203.0.113.0/24, 198.51.100.7/32]
`

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Object: object,
		Key: manifest.Key{Group: define.WorkloadGroup, Kind: "AddressGroup", Namespace: "default", Name: "offices"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.addresses", Old: "198.51.100.7/32", New: "\"2001:db8::/64\""},
			{Field: "spec.resource.addresses", Old: "    addresses: [203.0.113.0/24, 198.51.100.7/32]\n", New: ""},
		},
		Unseen: map[string]string{"spec.resource.projectRef": "has laws of its own, see TestLawsInAnotherProject"},
	}.Run(t)
}

const group = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: web}
spec: {resource: {rules: [{ethertype: IPv4, protocol: tcp, portRange: {min: 22, max: 22}, remoteAddressGroupRef: offices}]}}
`

// An address group is deleted after the rules that refer to it, but it can be changed while rules use it.
func TestNamedByRules(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.MustSync(object + group)
	if pass := g.MustSync(object + group); len(pass.Results) > 0 {
		t.Errorf("second pass did %d steps", len(pass.Results))
	}
	g.MustSync(strings.Replace(object, "203.0.113.0/24, ", "", 1) + group)
	if pass := g.MustSync(""); pass.Last.Owned != 0 {
		t.Errorf("%d objects are left", pass.Last.Owned)
	}
}
