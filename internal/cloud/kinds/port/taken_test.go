package port_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// at is the manifest of a port with an address of a subnet.
func at(name, subnet, ip string) string {
	return fmt.Sprintf("\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Port\nmetadata: {name: %s, annotations: {stackreeve.dev/replace: allow}}\nspec: {resource: {networkRef: front, addresses: [{subnetRef: %s, ip: %q}]}}", name, subnet, ip)
}

// If one object of the stack no longer wants an address, another object can get the address in the same
// pass.
func TestAddressesChangeHands(t *testing.T) {
	const five, six = "192.168.60.5", "192.168.60.6"
	one := kindtest.NewTarget(t, all.Kinds)
	one.Only(needs + at("a", "web", five))
	for name, next := range map[string]string{
		"the port is renamed":     at("c", "web", five) + at("b", "web", six),
		"the port is gone":        at("b", "web", five),
		"two ports exchange them": at("a", "web", six) + at("b", "web", five),
		"one moves on":            at("a", "web", "192.168.60.7") + at("b", "web", five),
	} {
		t.Run(name, func(t *testing.T) {
			g := one.In(t)
			g.MustSync(needs + at("a", "web", five) + at("b", "web", six))
			for _, s := range g.Plan(needs + next).Steps {
				if s.Action == plan.Refuse {
					t.Errorf("%s is refused: %s", s.Key, s.FullCause())
				}
			}
			g.MustSync(needs + next)
			g.MustSync(needs)
		})
	}
}

// Ports do not conflict if several of them allow the same address as a pair, or if the address exists in
// two networks.
func TestAddressesThatAreShared(t *testing.T) {
	const other = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: overlapping}
spec: {resource: {networkRef: back, ipVersion: 4, cidr: 192.168.60.0/24}}
`
	const pairs = ", allowedAddressPairs: [{ip: 192.168.60.9}, {ip: 192.168.60.0/28}]"
	paired := func(port string) string {
		return strings.Replace(port, "networkRef: front", "networkRef: front"+pairs, 1)
	}
	g := kindtest.NewTarget(t, all.Kinds)
	all := needs + other + at("vip", "web", "192.168.60.9") + paired(at("a", "web", "192.168.60.5")) + paired(at("b", "web", "192.168.60.6")) +
		strings.Replace(at("c", "overlapping", "192.168.60.5"), "networkRef: front", "networkRef: back", 1) + strings.Replace(at("d", "six", "x"), `, ip: "x"`, "", 1)
	g.Only(all)
	g.MustSync(all)
}
