package all_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// common has a manifest of each kind that most stacks use.
const common = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: public}, spec: {managementPolicy: unmanaged, import: {filter: {name: public}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: debian}, spec: {managementPolicy: unmanaged, import: {filter: {name: debian-12}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Flavor, metadata: {name: small}, spec: {managementPolicy: unmanaged, import: {filter: {name: m1.small}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: a}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: a}, spec: {resource: {networkRef: a, ipVersion: 4, cidr: 10.6.0.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Router, metadata: {name: a}, spec: {resource: {externalGateways: [{networkRef: public}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: RouterInterface, metadata: {name: a}, spec: {type: Subnet, routerRef: a, subnetRef: a}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: SecurityGroup, metadata: {name: a}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: a}, spec: {resource: {networkRef: a, addresses: [{subnetRef: a}], securityGroupRefs: [a]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: FloatingIP, metadata: {name: a}, spec: {resource: {floatingNetworkRef: public, portRef: a}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: ServerGroup, metadata: {name: a}, spec: {resource: {policy: soft-anti-affinity}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Volume, metadata: {name: a}, spec: {resource: {size: 1}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Server, metadata: {name: a}, spec: {resource: {imageRef: debian, flavorRef: small, ports: [{portRef: a}], schedulerHints: {serverGroupRef: a}}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: LoadBalancer, metadata: {name: a}, spec: {vipNetwork: a, ports: [{port: 80, protocol: tcp, realServers: {port: 80, addresses: [10.6.0.9]}}]}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: DNSZone, metadata: {name: a}, spec: {resource: {name: example.org., email: a@example.org}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: DNSRecordSet, metadata: {name: a}, spec: {resource: {zoneRef: a, name: www.example.org., type: A, records: [192.0.2.1]}}}
`

// TestRequestsOfAnUnchangedPass lists the requests of a pass that finds nothing to do. The user is an
// ordinary member of a project, and the agent already knows which kinds its stack has.
func TestRequestsOfAnUnchangedPass(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("others change that project")
	}
	for _, tt := range []struct {
		name, text string
		most       int
	}{
		{"an empty repository", "", 18},
		{"one of each common kind", common, 29},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if g.MustSync(tt.text); tt.text == "" {
				g.MustSync(tt.text)
			}
			e, want := g.Engine(g.Client(nil)), g.Resolve(tt.text)
			pass := func() map[string]int {
				g.Simulator.ResetRequests()
				if p := e.Sync(t.Context(), engine.Revision{Want: want}); len(p.Results) > 0 || !p.Last.InSync() {
					t.Errorf("%v: %v", p.Results, p.Failures)
				}
				asked := map[string]int{}
				for _, r := range g.Simulator.Requests() {
					asked[r.Template]++
				}
				return asked
			}
			pass() // logs in, and finds what an earlier agent left
			asked := pass()
			sum := 0
			for _, n := range asked {
				sum += n
			}
			t.Logf("%d requests: %s", sum, strings.Join(slices.Sorted(maps.Keys(asked)), ", "))
			if sum > tt.most || sum == 0 {
				t.Errorf("%d requests, want at most %d", sum, tt.most)
			}
		})
	}
}
