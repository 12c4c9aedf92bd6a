package server_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// If the size of a flavor changes, the flavor is replaced, if its manifest allows that.
// The servers of that flavor are replaced only if their manifests allow it, too.
func TestReplacedFlavorTakesNoServers(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds).Beside("admin")
	if g.Simulator == nil {
		t.Skip("flavors are for all projects")
	}
	const text = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: os}
spec: {managementPolicy: unmanaged, import: {filter: {name: centos79}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: size, annotations: {stackreeve.dev/replace: "FLAVOR"}}
spec: {resource: {name: NAME, ram: 512, vcpus: 1, disk: 1}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: net}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: net}, spec: {resource: {networkRef: net, ipVersion: 4, cidr: 10.77.0.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: web}, spec: {resource: {networkRef: net, addresses: [{subnetRef: net}]}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: web, annotations: {stackreeve.dev/replace: "SERVER"}}
spec: {resource: {imageRef: os, flavorRef: size, ports: [{portRef: web}]}}
`
	with := func(flavor, server, ram string) string {
		return strings.NewReplacer("FLAVOR", flavor, "SERVER", server, "ram: 512", "ram: "+ram, "NAME", "size-"+strings.ToLower(g.Stack)).Replace(text)
	}
	g.MustSync(with("refuse", "refuse", "512"))
	for _, allowed := range [][2]string{{"refuse", "refuse"}, {"allow", "refuse"}, {"refuse", "allow"}, {"allow", "allow"}} {
		for _, s := range g.Plan(with(allowed[0], allowed[1], "1024")).Steps {
			if s.Key.Kind != "Flavor" && s.Key.Kind != "Server" {
				continue
			}
			replaced := s.Action == plan.Recreate || s.Action == plan.Delete || s.Action == plan.Create
			may := allowed[0] == "allow" && (s.Key.Kind == "Flavor" || allowed[1] == "allow")
			if replaced != may {
				t.Errorf("replace %v: %s %s: %s", allowed, s.Action, s.Key, s.FullCause())
			}
		}
	}
}
