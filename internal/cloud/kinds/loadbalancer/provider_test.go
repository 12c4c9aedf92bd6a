package loadbalancer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func provided(provider, ports string) string {
	return fmt.Sprintf("apiVersion: stackreeve.dev/v1alpha1\nkind: LoadBalancer\nmetadata: {name: front}\nspec:\n  vipNetwork: private\n  provider: %s\n  ports:\n    - %s\n", provider, ports)
}

// Settings that OVN cannot implement are refused before any request to the cloud. Octavia's own provider accepts them.
func TestWhatOVNCannotDo(t *testing.T) {
	const plain = "{port: 80, protocol: tcp, realServers: {addresses: [10.0.0.241]}}"
	for _, c := range [][2]string{
		{strings.Replace(plain, "tcp", "http", 1), "spec.ports[0].protocol"},
		{strings.Replace(plain, "tcp", "https", 1), "spec.ports[0].protocol"},
		{strings.Replace(plain, "tcp,", "tcp, algorithm: roundRobin,", 1), "spec.ports[0].algorithm"},
		{strings.Replace(plain, "tcp,", "tcp, allowedCidrs: [10.0.0.0/8],", 1), "spec.ports[0].allowedCidrs"},
		{strings.Replace(plain, "tcp,", "tcp, timeouts: {client: 1000},", 1), "spec.ports[0].timeouts"},
		{strings.Replace(plain, "tcp,", "tcp, connectionLimit: 7,", 1), "spec.ports[0].connectionLimit"},
		{strings.Replace(plain, "{addresses", "{protocol: proxy, addresses", 1), "spec.ports[0].realServers.protocol"},
		{strings.Replace(plain, "tcp,", "tcp, monitors: [{protocol: http}],", 1), "spec.ports[0].monitors[0].protocol"},
		{strings.Replace(plain, "tcp,", "tcp, monitors: [{protocol: tcp, port: 81}],", 1), "spec.ports[0].monitors[0].port"},
		{strings.Replace(plain, "addresses: [10.0.0.241]", "members: [{address: 10.0.0.241, weight: 3}]", 1), "spec.ports[0].realServers.members[0].weight"},
		{strings.Replace(plain, "addresses: [10.0.0.241]", "members: [{address: 10.0.0.241, backup: true}]", 1), "spec.ports[0].realServers.members[0].backup"},
		{strings.Replace(plain, "[10.0.0.241]", "[10.0.0.241, \"2001:db8::1\"]", 1), "spec.ports"},
	} {
		if _, err := read(provided("amphora", c[0]), words); err != nil {
			t.Errorf("amphora: %s: %v", c[0], err)
		}
		if _, err := read(provided("ovn", c[0]), words); !strings.Contains(fmt.Sprint(err), " "+c[1]+": ") {
			t.Errorf("ovn: %s: %v, want a problem of %s", c[0], err, c[1])
		}
	}
}

// With OVN, a load balancer is created step by step, because OVN leaves the children of a create request unfinished.
// Afterwards nothing differs.
func TestALoadBalancerOfOVN(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("the devcloud has Octavia's own provider alone")
	}
	doc := provided("ovn", "{port: 80, protocol: tcp, monitors: [{protocol: tcp}], realServers: {port: 8080, addresses: [10.0.0.241, 10.0.0.242]}}\n    - {port: 53, protocol: udp, realServers: {addresses: [10.0.0.243]}}")
	created := 0
	for _, r := range g.MustSync(doc).Results {
		if r.Step.Action == plan.Create {
			created++
		}
	}
	if created != 1 {
		t.Errorf("%d load balancers were created", created)
	}
	if pass := g.MustSync(doc); len(pass.Results) > 0 {
		t.Errorf("a second pass does %v", pass.Results)
	}
	g.MustSync(strings.Replace(doc, "10.0.0.242", "10.0.0.244", 1))
	var replaced bool
	for _, s := range g.Plan(provided("amphora", "{port: 80, protocol: tcp, realServers: {addresses: [10.0.0.241]}}")).Steps {
		replaced = replaced || s.Key.Kind == "LoadBalancer" && s.Action != plan.Update && s.Action != plan.Keep
	}
	if !replaced {
		t.Error("another provider is no other load balancer")
	}
}
