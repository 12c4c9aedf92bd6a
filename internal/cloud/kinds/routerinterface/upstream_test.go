package routerinterface_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// In one pass, the floating IPs that need the interface are deleted first, then the interface, and then
// its subnet and router (terraform-provider-openstack#1045, #1511, K-ORC issues 314, 316 and 378).
func TestGoesAfterWhatNeedsIt(t *testing.T) {
	const whole = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: public}, spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: lan}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Router, metadata: {name: lan}, spec: {resource: {externalGateways: [{networkRef: public}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: lan}, spec: {resource: {networkRef: lan, ipVersion: 4, cidr: 10.78.0.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: RouterInterface, metadata: {name: lan}, spec: {type: Subnet, routerRef: lan, subnetRef: lan}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: web}, spec: {resource: {networkRef: lan, addresses: [{subnetRef: lan}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: FloatingIP, metadata: {name: web}, spec: {resource: {floatingNetworkRef: public, portRef: web}}}
`
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(whole)
	g.MustSync(whole)
	if pass := g.Sync(""); pass.Outcome() != plan.InSync || pass.Last.Owned != 0 {
		t.Errorf("%s: %d are left: %v", pass.Outcome(), pass.Last.Owned, pass.Failures)
	}
}
