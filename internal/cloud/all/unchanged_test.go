package all_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
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

// machines is a group of 31 machines behind a load balancer.
const machines = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: machines}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: machines}, spec: {resource: {networkRef: machines, ipVersion: 4, cidr: 10.8.0.0/16}}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: web}
spec:
  replicas: 31
  haPolicy: none
  template: {network: machines, image: centos79, flavor: n3-1vcpu-2gb, initScript: {value: ls}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: LoadBalancer, metadata: {name: a}, spec: {vipNetwork: machines, ports: [{port: 80, protocol: tcp, realServers: {port: 80, virtualMachineGroupRef: web}}]}}
`

// TestRequestsOfAnUnchangedPass counts the requests of a pass that finds nothing to do. The user is an
// ordinary member of a project, and the agent already knows which kinds its stack has. The lists that
// the pass leaves out change nothing of its plan.
func TestRequestsOfAnUnchangedPass(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("others change that project")
	}
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"an empty repository", "", 17},
		{"31 machines behind a load balancer", machines, 12},
		{"one of each common kind", common, 19},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if g.MustSync(tt.text); tt.text == "" {
				g.MustSync(tt.text)
			}
			e, want := g.Engine(g.Client(nil)), g.Resolve(tt.text)
			pass := func() (engine.Pass, map[string]int) {
				g.Simulator.ResetRequests()
				p := e.Sync(t.Context(), engine.Revision{Want: want})
				if len(p.Results) > 0 || !p.Last.InSync() {
					t.Errorf("%v: %v", p.Results, p.Failures)
				}
				asked := map[string]int{}
				for _, r := range g.Simulator.Requests() {
					asked[r.Template]++
				}
				return p, asked
			}
			first, _ := pass() // logs in, and finds what an earlier agent left
			second, asked := pass()
			if all, some := shown(t, first.Last), shown(t, second.Last); !reflect.DeepEqual(all, some) {
				t.Errorf("without the lists that it left out, the plan is\n%v\nwith them\n%v", some, all)
			}
			sum := 0
			for _, n := range asked {
				sum += n
			}
			t.Logf("%d requests: %s", sum, strings.Join(slices.Sorted(maps.Keys(asked)), ", "))
			if sum != tt.want {
				t.Errorf("%d requests, want %d", sum, tt.want)
			}
		})
	}
}

// TestRequestsOfANewProcess counts the requests of a process that finds 31 unchanged machines behind a load balancer. With the file of the process
// before, it does not list the kinds that the stack does not use.
func TestRequestsOfANewProcess(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("others change that project")
	}
	g.MustSync(machines)
	path := filepath.Join(t.TempDir(), "memory.json")
	whole := map[string]int{"compute": 5, "network": 12, "load-balancer": 5, "image": 1, "identity": 10, "volumev3": 5, "dns": 2, "key-manager": 1, "object-store": 1, "sharev2": 1}
	for i, tt := range []struct {
		kept string
		want map[string]int
	}{
		{"", whole},
		{path, whole},
		{path, map[string]int{"compute": 4, "network": 3, "load-balancer": 5, "image": 1, "identity": 1}},
	} {
		g.Simulator.ResetRequests()
		client := g.Client(nil)
		e := g.Engine(client)
		m, err := memory.Open(tt.kept, g.Stack, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		m.Forget(memory.LoggedIn{Where: client.ProjectID, As: "the same"})
		e.Memory = m
		if p := e.Sync(t.Context(), engine.Revision{Want: g.Resolve(machines)}); len(p.Results) > 0 || !p.Last.InSync() {
			t.Errorf("%v: %v", p.Results, p.Failures)
		}
		asked, sum := map[string]int{}, 0
		for _, r := range g.Simulator.Requests() {
			asked[r.Service]++
			sum++
		}
		if t.Logf("process %d: %d requests: %v", i, sum, asked); !maps.Equal(asked, tt.want) {
			t.Errorf("want %v", tt.want)
		}
	}
}

// shown returns what people see of each step of a plan.
func shown(t *testing.T, p plan.Plan) (list []string) {
	t.Helper()
	for _, s := range p.Steps {
		resource := any(nil)
		if k := kindOf(t, s.Key.Kind); k.Status != nil && s.Have != nil {
			resource = k.Status(s.Have.State)
		}
		text, err := json.Marshal(resource)
		list = append(list, fmt.Sprint(s.Key, s.Action, s.Causes, s.Notes, s.Names, s.ID(), string(text), err))
	}
	return list
}
