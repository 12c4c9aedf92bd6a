package subnet_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const needs = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: back}
spec: {resource: {}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: SubnetPool
metadata: {name: inside}
spec: {resource: {prefixes: [10.90.0.0/16]}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: SubnetPool
metadata: {name: outside}
spec: {resource: {prefixes: [10.92.0.0/16]}}
`

const pooled = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: web}
spec:
  resource:
    networkRef: front
    ipVersion: 4
    subnetPoolRef: inside
    prefixLength: 26
    gateway: {type: Automatic}
`

// The pool chooses the addresses of a subnet. They never change, and the pool is deleted after
// the subnet.
func TestLawsFromAPool(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Key: key("web"), Needs: needs, Object: pooled, Partial: true,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.subnetPoolRef", Old: "subnetPoolRef: inside", New: "subnetPoolRef: outside", Replaces: true},
			{Field: "spec.resource.prefixLength", Old: "prefixLength: 26", New: "prefixLength: 27", Replaces: true},
			{Field: "spec.resource.cidr", Old: "prefixLength: 26", New: "cidr: 10.90.7.0/26", Replaces: true},
			{Field: "spec.resource.gateway", Old: "Automatic", New: "None"},
		},
	}.Run(t)
}

func TestWhereAddressesAreFrom(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.RefusesEdits(needs, pooled, map[string][3]string{
		"neither pool nor cidr": {"    subnetPoolRef: inside\n    prefixLength: 26\n", "", "spec.resource.cidr"},
		"length and cidr":       {"prefixLength: 26", "prefixLength: 26\n    cidr: 10.90.7.0/26", "spec.resource.prefixLength"},
		"length":                {"Length: 26", "Length: 33", "spec.resource.prefixLength"},
	})
}

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: web}
spec:
  resource:
    name: web-subnet
    description: web servers
    tags: [web, blue]
    networkRef: front
    ipVersion: 4
    cidr: 192.168.77.0/24
    allocationPools:
    - {start: 192.168.77.10, end: 192.168.77.50}
    gateway: {type: IP, ip: 192.168.77.2}
    enableDHCP: false
    dnsNameservers: [1.1.1.1, 8.8.8.8]
    hostRoutes:
    - {destination: 10.8.0.0/16, nextHop: 192.168.77.3}
`

func key(name string) manifest.Key {
	return manifest.Key{Group: define.OrcGroup, Kind: "Subnet", Namespace: "default", Name: name}
}

func TestLaws(t *testing.T) { laws().Run(t) }

// A cloud that accepts tags in the create request needs fewer requests. The laws are valid there,
// too.
func TestLawsWithTagsOnCreate(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	s := laws()
	s.Simulator = &simulator.Options{TagsOnCreate: true}
	s.Run(t)
}

func laws() kindtest.Suite {
	return kindtest.Suite{
		Kinds: all.Kinds, Key: key("web"), Needs: needs, Object: object,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.networkRef", Old: "networkRef: front", New: "networkRef: back", Replaces: true},
			{Field: "spec.resource.cidr", Old: "cidr: 192.168.77.0/24", New: "cidr: 192.168.76.0/23", Replaces: true},
			{Field: "spec.resource.allocationPools", Old: "end: 192.168.77.50", New: "end: 192.168.77.60"},
			{Field: "spec.resource.gateway", Old: "{type: IP, ip: 192.168.77.2}", New: "{type: None}"},
			{Field: "spec.resource.dnsNameservers", Old: "[1.1.1.1, 8.8.8.8]", New: "[8.8.8.8, 1.1.1.1]"},
			{Field: "spec.resource.hostRoutes", Old: "10.8.0.0/16", New: "10.9.0.0/16"},
		},
		Unseen: map[string]string{
			"spec.resource.dnsPublishFixedIP": "needs an extension",
			"spec.resource.subnetPoolRef":     "chooses the addresses, see TestLawsFromAPool",
			"spec.resource.prefixLength":      "is in place of the CIDR, see TestLawsFromAPool",
			"spec.resource.ipVersion":         "changes with the CIDR only, see TestVersionIsFixed",
			"spec.resource.ipv6":              "is for IPv6, see TestLawsIPv6",
		},
	}
}

const sixth = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: six}
spec:
  resource:
    networkRef: front
    ipVersion: 6
    cidr: fd00:2::/64
    allocationPools:
    - {start: "fd00:2:0:0:1::", end: "fd00:2:0:0:1:ffff:ffff:ffff"}
    gateway: {type: Automatic}
    dnsNameservers: ["2606:4700:4700:0::1111"]
    ipv6: {addressMode: slaac, raMode: slaac}
`

func TestLawsIPv6(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Key: key("six"), Needs: needs, Object: sixth,
		Partial: true,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.ipv6", Old: "{addressMode: slaac, raMode: slaac}", New: "{addressMode: dhcpv6-stateful, raMode: dhcpv6-stateful}", Replaces: true},
			{Field: "spec.resource.gateway", Old: "{type: Automatic}", New: `{type: IP, ip: "fd00:2:0::9"}`},
		},
	}.Run(t)
}

func TestVersionIsFixed(t *testing.T) {
	const four = "ipVersion: 4\n    cidr: 10.1.0.0/24"
	subnet := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: web}\nspec:\n  resource:\n    networkRef: front\n    " + four
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(needs + "\n---\n" + subnet)
	g.MustSync(needs + "\n---\n" + subnet)
	planned := g.Plan(needs + "\n---\n" + strings.Replace(subnet, four, "ipVersion: 6\n    cidr: fd00:1::/64", 1))
	for _, step := range planned.Steps {
		if step.Key == key("web") && (step.Action != plan.Recreate || !kind.Has(step.Changes, "spec.resource.ipVersion")) {
			t.Errorf("%s: %v", step.Action, step.Changes)
		}
	}
}

func TestRouterRefAttaches(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	router := "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Router\nmetadata: {name: edge}\nspec: {resource: {}}\n"
	attached := needs + router + "---\n" + strings.Replace(object, "networkRef: front", "networkRef: front\n    routerRef: edge", 1)
	g.Only(attached)
	pass := g.MustSync(attached)
	found := false
	for _, step := range pass.Last.Steps {
		found = found || step.Key.String() == "RouterInterface/web-subnet" && step.ID() != ""
	}
	if !found {
		t.Error("the subnet has no RouterInterface/web-subnet")
	}
	g.MustSync(needs + router + "---\n" + object)
	g.MustSync("")
}

func TestValidate(t *testing.T) {
	target := kindtest.NewTarget(t, all.Kinds)
	target.RefusesEdits(needs, object, map[string][3]string{
		"host bits":           {"192.168.77.0/24", "192.168.77.1/24", "spec.resource.cidr"},
		"version":             {"ipVersion: 4", "ipVersion: 6", "spec.resource.ipVersion"},
		"pool outside":        {"end: 192.168.77.50", "end: 192.168.78.50", "spec.resource.allocationPools[0]"},
		"pool backwards":      {"end: 192.168.77.50", "end: 192.168.77.5", "spec.resource.allocationPools[0]"},
		"pool with gateway":   {"ip: 192.168.77.2", "ip: 192.168.77.20", "spec.resource.allocationPools[0]"},
		"gateway without ip":  {"{type: IP, ip: 192.168.77.2}", "{type: IP}", "spec.resource.gateway.ip"},
		"ip without type IP":  {"type: IP", "type: None", "spec.resource.gateway.ip"},
		"gateway's version":   {"ip: 192.168.77.2", `ip: "fd00::1"`, "spec.resource.gateway.ip"},
		"IPv6 options for v4": {"enableDHCP: false", "ipv6: {raMode: slaac}", "spec.resource.ipv6"},
		"unknown network":     {"networkRef: front", "networkRef: fron", "spec.resource.networkRef"},
		"router not there":    {"networkRef: front", "networkRef: front\n    routerRef: edge", "spec.routerRef"},
	})
}
