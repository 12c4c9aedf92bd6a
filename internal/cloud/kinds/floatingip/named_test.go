package floatingip_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// If Neutron cannot delete the DNS record of an address, it answers 500 to the deletion of the address. The pass ends,
// and the error says that this may be the cause. (Launchpad 2149807)
func TestANamedAddressThatCannotBeDeleted(t *testing.T) {
	const text = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: public}, spec: {managementPolicy: unmanaged, import: {filter: {name: public}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: FloatingIP, metadata: {name: named}, spec: {resource: {floatingNetworkRef: public, dnsName: www, dnsDomain: example.org.}}}
`
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{MoreNetwork: true})
	g.Only(text)
	g.MustSync(text)
	if _, err := g.Simulator.AddFault(simulator.Fault{Service: "network", Method: http.MethodDelete, Path: "/floatingips/", Status: http.StatusInternalServerError}); err != nil {
		t.Fatal(err)
	}
	pass := g.Sync("")
	g.Simulator.ClearFaults()
	if pass.Outcome() == plan.InSync || len(pass.Failures) == 0 || !strings.Contains(pass.Failures[0].Reason(), "www.example.org.") {
		t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
	}
}
