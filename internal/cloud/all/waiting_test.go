package all_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

const waitedFor = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: machines}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: machines}
spec: {resource: {networkRef: machines, ipVersion: 4, cidr: 10.8.0.0/16}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: web}
spec: {replicas: 3, haPolicy: none, template: {network: machines, image: centos79, flavor: n3-1vcpu-2gb, initScript: {value: ls}}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: web}
spec: {vipNetwork: machines, ports: [{port: 80, protocol: tcp, realServers: {port: 80, virtualMachineGroupRef: web}}]}
`

// While a cloud builds machines and a load balancer, a pass lists only servers and load balancers again and again. It reads everything that belongs
// to them less often, and sees it complete when the cloud has finished.
func TestWaitingListsOnlyWhatIsAwaited(t *testing.T) {
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{BuildDelay: 800 * time.Millisecond, PendingDelay: 1200 * time.Millisecond})
	g.Simulator.ResetRequests()
	pass := g.MustSync(waitedFor)
	lists := map[string]int{}
	for _, r := range g.Simulator.Requests() {
		if r.Method == "GET" {
			lists[r.Path[strings.LastIndexByte(r.Path, '/')+1:]]++
		}
	}
	if lists["loadbalancers"] < 2 || lists["detail"] < 2 {
		t.Fatalf("the pass has not waited: %v", lists)
	}
	for collection, awaited := range map[string]string{"listeners": "loadbalancers", "pools": "loadbalancers", "members": "loadbalancers", "os-server-groups": "detail"} {
		if lists[collection] >= lists[awaited] {
			t.Errorf("%s were listed as often as %s: %v", collection, awaited, lists)
		}
	}
	for _, s := range pass.Last.Steps {
		if s.Have != nil && s.Key.Kind == "LoadBalancer" && len(s.Have.Uses) < 3 {
			t.Errorf("%s lacks its members: %v", s.Key, s.Have.Uses)
		}
	}
	if next := g.Plan(waitedFor); !next.InSync() {
		t.Errorf("the next plan is %v", next.Summary())
	}
}
