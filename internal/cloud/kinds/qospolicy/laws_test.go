package qospolicy_test

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
kind: QoSPolicy
metadata: {name: gold}
spec:
  resource:
    name: gold-policy
    description: for those who pay
    tags: [web, blue]
    bandwidthLimits: [{direction: egress, maxKbps: 1000, maxBurstKbps: 100}]
    minimumBandwidths: [{minKbps: 500}]
    dscpMark: 26
`

// Only an administrator can make a QoS policy.
func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Object: object, Administrator: true,
		Key: manifest.Key{Group: define.WorkloadGroup, Kind: "QoSPolicy", Namespace: "default", Name: "gold"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.bandwidthLimits", Old: "maxBurstKbps: 100}", New: "maxBurstKbps: 100}, {direction: ingress, maxKbps: 2000}"},
			{Field: "spec.resource.bandwidthLimits", Old: "maxKbps: 1000", New: "maxKbps: 900"},
			{Field: "spec.resource.bandwidthLimits", Old: "{direction: egress, maxKbps: 1000, maxBurstKbps: 100}]\n    minimumBandwidths: [{minKbps: 500}]", New: "{maxKbps: 100, maxBurstKbps: 100}]\n    minimumBandwidths: [{minKbps: 50}]",
				Also: []string{"spec.resource.minimumBandwidths"}},
			{Field: "spec.resource.minimumBandwidths", Old: "{direction: egress, maxKbps: 1000, maxBurstKbps: 100}]\n    minimumBandwidths: [{minKbps: 500}]", New: "{maxKbps: 3000, maxBurstKbps: 100}]\n    minimumBandwidths: [{minKbps: 2000}]",
				Also: []string{"spec.resource.bandwidthLimits"}},
			{Field: "spec.resource.minimumBandwidths", Old: "    minimumBandwidths: [{minKbps: 500}]\n", New: ""},
			{Field: "spec.resource.dscpMark", Old: "dscpMark: 26", New: "dscpMark: 0"},
			{Field: "spec.resource.dscpMark", Old: "    dscpMark: 26\n", New: ""},
		},
		Unseen: map[string]string{"spec.resource.projectRef": "has laws of its own, see TestLawsInAnotherProject"},
	}.Run(t)
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.RefusesEdits("", object, map[string][3]string{
		"two limits of one direction": {"maxBurstKbps: 100}", "maxBurstKbps: 100}, {maxKbps: 7}", "spec.resource.bandwidthLimits"},
		"unknown mark":                {"dscpMark: 26", "dscpMark: 27", "spec.resource.dscpMark"},
		"form of an owner mark":       {"for those who pay", "\"[stackreeve:prod:Network/core]\"", "spec.resource.description"},
	})
}

const users = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {qosPolicyRef: gold}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: web}
spec: {resource: {networkRef: front, qosPolicyRef: gold}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: public}
spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: FloatingIP
metadata: {name: www}
spec: {resource: {floatingNetworkRef: public, qosPolicyRef: gold}}
`

// A policy applies to the objects that refer to it. If a manifest names no policy any
// more, the policy is removed from its object. The policy is deleted after that.
func TestInForce(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds).Beside("admin")
	g.MustSync(object + users)
	if pass := g.MustSync(object + users); len(pass.Results) > 0 {
		t.Errorf("second pass did %d steps", len(pass.Results))
	}
	none := strings.ReplaceAll(users, "qosPolicyRef: gold", `qosPolicyRef: ""`)
	if pass := g.MustSync(object + none); len(pass.Results) != 3 {
		t.Errorf("%d steps took the policy off, want 3", len(pass.Results))
	}
	g.MustSync(object + users)
	if pass := g.MustSync(""); pass.Last.Owned != 0 {
		t.Errorf("%d objects are left", pass.Last.Owned)
	}
}
