package loadbalancer_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest/smallnet"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

var fixed = `---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front, annotations: {stackreeve.dev/replace: allow}}
spec: {vipNetwork: front, vipAddress: 192.168.90.9, ports: [{port: 80, protocol: http, realServers: {addresses: [192.168.90.41]}}]}
` +
	smallnet.Network("front") + smallnet.Subnet("front", "front", "192.168.90.0/24") + smallnet.Subnet("more", "front", "192.168.92.0/24")

func refusals(p plan.Plan) (reasons []string) {
	for _, s := range p.Steps {
		if s.Action == plan.Refuse {
			reasons = append(reasons, s.Key.String()+": "+s.FullCause())
		}
	}
	return reasons
}

// Octavia owns the port that has the load balancer's address, so the port has no mark and is deleted with the load
// balancer. The new load balancer must not be refused because of that port, even while a list of ports still shows it.
func TestAddressOfALoadBalancerThatIsReplaced(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(fixed, "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Port\nmetadata: {name: p}\nspec: {resource: {networkRef: p}}\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: p}\nspec: {resource: {}}")
	g.MustSync(fixed)
	next := strings.Replace(fixed, "vipNetwork: front", "vipNetwork: front, additionalVIPs: [{subnetRef: more}]", 1)
	steps := g.Plan(next)
	if replaced := steps.Summary(); len(refusals(steps)) > 0 {
		t.Errorf("%v: %v", replaced, refusals(steps))
	}
	pass := g.MustSync(next)
	if len(pass.Results) < 2 {
		t.Errorf("nothing was replaced: %v", pass.Results)
	}
	renamed := strings.Replace(next, "metadata: {name: front, ann", "metadata: {name: shop, ann", 1)
	if reasons := refusals(g.Plan(renamed)); len(reasons) > 0 {
		t.Errorf("renamed: %v", reasons)
	}
}

func TestAddressThatIsTaken(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	port := "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Port\nmetadata: {name: p}\nspec: {resource: {networkRef: front, addresses: [{subnetRef: front, ip: 192.168.90.9}]}}"
	g.Only(fixed + port)
	reasons := refusals(g.Plan(fixed + port))
	if len(reasons) != 2 || !strings.Contains(reasons[0]+reasons[1], "spec.vipAddress: 192.168.90.9 of Subnet/front ") || !strings.Contains(reasons[0]+reasons[1], " Port/p") {
		t.Errorf("both: %v", reasons)
	}
	outside := strings.Replace(fixed, "vipAddress: 192.168.90.9", "vipAddress: 192.168.91.9", 1)
	if reasons := refusals(g.Plan(outside)); len(reasons) != 1 || !strings.Contains(reasons[0], "(Subnet front: 192.168.90.0/24, Subnet more: 192.168.92.0/24)") {
		t.Errorf("outside: %v", reasons)
	}
}
