package all_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// withoutOctavia answers 503 to all requests for Octavia.
type withoutOctavia struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (w withoutOctavia) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.Contains(req.URL.Path, "/lbaas/") {
		return kindtest.Answer(http.StatusServiceUnavailable)(req, w.next)
	}
	return w.next.RoundTrip(req)
}

// A commit removes a member from a load balancer, and a port and a volume from the repository. While load balancers
// cannot be listed, the port and the parts of the load balancer stay, because a load balancer may use them. The volume
// is deleted.
func TestWhatHiddenLoadBalancersMayUseStays(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	const network = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: users}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: users}, spec: {resource: {networkRef: users, ipVersion: 4, cidr: 10.9.0.0/24}}}
`
	port := func(name string) string {
		return "---\n{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: " + name + "}, spec: {resource: {networkRef: users, addresses: [{subnetRef: users}]}}}\n"
	}
	balancer := func(addresses string) string {
		return "---\n{apiVersion: stackreeve.dev/v1alpha1, kind: LoadBalancer, metadata: {name: users}, spec: {vipNetwork: users, ports: [{port: 80, protocol: tcp, realServers: {port: 80, addresses: [" + addresses + "]}}]}}\n"
	}
	const volume = "---\n{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Volume, metadata: {name: users}, spec: {resource: {size: 1}}}\n"
	g := kindtest.NewTarget(t, all.Kinds)
	g.MustSync(network + port("users-a") + volume + balancer("10.9.0.8, 10.9.0.9"))
	pass := g.SyncThrough(network+balancer("10.9.0.8"), func(next http.RoundTripper) http.RoundTripper { return withoutOctavia{next} })
	if pass.Outcome() != plan.Broken {
		t.Errorf("outcome %s", pass.Outcome())
	}
	var gone []string
	for _, r := range pass.Results {
		gone = append(gone, string(r.Step.Action)+" "+r.Step.Key.String())
	}
	if strings.Join(gone, ", ") != "delete Volume/users" {
		t.Errorf("%v, want the volume alone deleted", gone)
	}
	for _, s := range pass.Last.Steps {
		if (s.Key.Kind == "Port") && s.Turn.Code != cause.AllSeen {
			t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
		}
	}
	after := g.MustSync(network + balancer("10.9.0.8"))
	if len(after.Results) != 2 {
		t.Errorf("afterwards: %v", after.Results)
	}
}
