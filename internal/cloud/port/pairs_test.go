package port_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// Allowed address pairs are in sync once they are written (terraform-provider-openstack#232).
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
