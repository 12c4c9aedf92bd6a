package floatingip_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// If a port cannot be deleted, its floating IP is not deleted either.
func TestTheAddressOfAPortThatCannotGoStays(t *testing.T) {
	const (
		head    = "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: "
		network = head + "Network\nmetadata: {name: public}\nspec: {managementPolicy: unmanaged, import: {filter: {name: public}}}\n" +
			head + "Network\nmetadata: {name: front}\nspec: {resource: {}}\n" +
			head + "Subnet\nmetadata: {name: web}\nspec: {resource: {networkRef: front, ipVersion: 4, cidr: 192.168.91.0/24, routerRef: edge}}\n" +
			head + "Router\nmetadata: {name: edge}\nspec: {resource: {externalGateways: [{networkRef: public}]}}\n"
		trunk = head + "Trunk\nmetadata: {name: web, annotations: {stackreeve.dev/prune: \"false\"}}\nspec: {resource: {portRef: machine}}\n"
		port  = head + "Port\nmetadata: {name: machine}\nspec: {resource: {networkRef: front, addresses: [{subnetRef: web}]}}\n"
		ip    = head + "FloatingIP\nmetadata: {name: machine}\nspec: {resource: {floatingNetworkRef: public, portRef: machine}}\n"
	)
	g := kindtest.NewTarget(t, all.Kinds)
	g.MustSync(network + port + ip + trunk)
	if pass := g.Sync(network); len(pass.Results) > 0 {
		t.Errorf("was done: %v", pass.Results)
	}
	g.MustSync(network + port + ip + strings.Replace(trunk, ", annotations: {stackreeve.dev/prune: \"false\"}", "", 1))
	g.MustSync(network)
}
