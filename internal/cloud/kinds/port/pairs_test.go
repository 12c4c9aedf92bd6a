package port_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// After allowed address pairs are written, the port is in sync (terraform-provider-openstack#232).
func TestPairsStayInSync(t *testing.T) {
	const port = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: lan}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: web}, spec: {resource: {networkRef: lan, allowedAddressPairs: [PAIRS]}}}
`
	g := kindtest.NewTarget(t, all.Kinds)
	with := func(pairs string) string { return strings.Replace(port, "PAIRS", pairs, 1) }
	first := with(`{ip: 10.77.0.200, mac: "fa:16:3e:00:00:99"}, {ip: 10.77.0.9/32}, {ip: "fd00::9"}`)
	g.Only(first)
	g.MustSync(first)
	for _, pairs := range []string{
		`{ip: 10.77.0.200, mac: "fa:16:3e:00:00:99"}, {ip: 10.77.0.9/32}, {ip: "fd00::9"}`,
	} {
		if p := g.Plan(with(pairs)); !p.InSync() {
			t.Errorf("%s: %v", pairs, p.Steps)
		}
	}
}

// Multicast addresses in pairs are noted: Neutron refuses them since 2026, and they have no effect (Launchpad 2147115).
func TestMulticastPairsAreNoted(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	for pair, noted := range map[string]bool{"224.0.0.18": true, "ff02::12": true, "239.1.0.0/16": true, "10.77.0.200": false} {
		doc := strings.Replace("{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: lan}, spec: {resource: {}}}\n---\n"+
			"{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: web}, spec: {resource: {networkRef: lan, allowedAddressPairs: [{ip: \"PAIR\"}]}}}", "PAIR", pair, 1)
		g.Only(doc)
		got := false
		for _, s := range g.Plan(doc).Steps {
			for _, n := range s.Notes {
				got = got || n.Field == "spec.resource.allowedAddressPairs[0].ip"
			}
		}
		if got != noted {
			t.Errorf("%s: noted %v", pair, got)
		}
	}
}
