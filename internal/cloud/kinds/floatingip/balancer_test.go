package floatingip_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// balancers are the manifests of two load balancers on a network that a router connects with the external network.
var balancers = needs + `
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec: {vipNetwork: front, ports: [{port: 80, protocol: http, realServers: {addresses: [192.168.50.10]}}]}
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: back}
spec: {vipNetwork: front, ports: [{port: 80, protocol: http, realServers: {addresses: [192.168.50.11]}}]}
`

const toBalancer = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: FloatingIP
metadata: {name: www}
spec: {resource: {floatingNetworkRef: public, loadBalancerRef: front}}
`

func TestLawsInFrontOfALoadBalancer(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Key: key, Needs: balancers, Object: toBalancer, Partial: true,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.loadBalancerRef", Old: "loadBalancerRef: front", New: "loadBalancerRef: back"},
			{Field: "spec.resource.portRef", Old: "loadBalancerRef: front", New: "portRef: web-2"},
			{Field: "spec.resource.portRef", Old: ", loadBalancerRef: front", New: ""},
		},
	}.Run(t)
}

// A floating IP is disassociated before its load balancer is deleted or replaced. If the load balancer is replaced, the
// floating IP keeps its address.
func TestAddressOutlivesItsLoadBalancer(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := balancers + "\n---\n" + toBalancer
	address := func(p plan.Plan) (id, shown string) {
		for _, s := range p.Steps {
			if s.Key == key {
				return s.ID(), s.ShownID()
			}
		}
		return "", ""
	}
	g.Only(doc)
	before, _ := address(g.MustSync(doc).Last)
	pass := g.MustSync(strings.Replace(doc, "vipNetwork: front,", "vipNetwork: front, vipAddress: 192.168.50.99,", 1))
	if after, shown := address(pass.Last); after != before {
		t.Errorf("the address was %s and is %s (%s)", before, after, shown)
	}
	for _, s := range g.Plan("").Steps {
		if s.Key.Name == "front" && s.Key.Kind == "LoadBalancer" && len(s.Blockers) != 1 {
			t.Errorf("the load balancer goes after %v, want the address that leads to it", s.Blockers)
		}
	}
	for _, s := range pass.First.Steps {
		if s.Key.Name == "front" && s.Key.Kind == "LoadBalancer" && s.Action != plan.Recreate {
			t.Errorf("the load balancer's step is %s, want replace", s.Action)
		}
	}
}
