package all_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const routed = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: routed}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: routed}, spec: {resource: {networkRef: routed, ipVersion: 4, cidr: 10.78.0.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Router, metadata: {name: routed}, spec: {resource: {}}}
`

const way = `---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: RouterInterface, metadata: {name: routed}, spec: {type: Subnet, routerRef: routed, subnetRef: routed}}
`

// If somebody's routes use a router interface, the agent does not try again and again to delete it. The first refusal says what people
// have to do.
func TestRoutesThroughAnInterfaceAreNamed(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(routed + way)
	g.MustSync(routed + way)
	steps := g.Plan(routed + way).Steps
	router := steps[slices.IndexFunc(steps, func(s plan.Step) bool { return s.Key.Kind == "Router" })].ID()
	route := func(routes ...map[string]any) {
		h := hand{t: t, c: g.Client(nil)}
		h.do(cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router, Body: map[string]any{"router": map[string]any{"routes": append([]map[string]any{}, routes...)}}})
	}
	route(map[string]any{"destination": "10.79.0.0/24", "nexthop": "10.78.0.9"})
	attempts := 0
	pass := g.SyncThrough(routed, func(next http.RoundTripper) http.RoundTripper {
		return through(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/remove_router_interface") {
				attempts++
			}
			return next.RoundTrip(r)
		})
	})
	if attempts != 1 || len(pass.Failures) == 0 || !strings.Contains(pass.Failures[0].Reason(), "remove route") {
		t.Errorf("%d requests: %v", attempts, pass.Failures)
	}
	route()
	g.MustSync(routed)
}

type through func(*http.Request) (*http.Response, error)

func (t through) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// If a service fails to report how much of its quotas is used, the use is unknown. The result of the pass stays the same.
func TestQuotasThatCannotBeRead(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("faults are the simulator's")
	}
	g.Only(routed)
	if _, err := g.Simulator.AddFault(simulator.Fault{Service: "network", Method: http.MethodGet, Path: "/quotas/", Status: http.StatusInternalServerError}); err != nil {
		t.Fatal(err)
	}
	if allowed, err := g.Client(nil).Quotas(t.Context(), cloud.Network); err == nil || allowed != nil {
		t.Errorf("%v, %v; want that it is not known", allowed, err)
	}
	e := g.Engine(g.Client(nil))
	e.Quotas = g.Client(nil).Quotas
	_, pre := e.PreviewOf(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(routed)})
	if len(pre.Short()) != 0 || !pre.Notes.Has(cause.QuotaUnknown) {
		t.Errorf("the plan says %+v", pre)
	}
	g.MustSync(routed)
}

const plugged = `---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: os}, spec: {managementPolicy: unmanaged, import: {filter: {name: cirros}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Flavor, metadata: {name: small}, spec: {managementPolicy: unmanaged, import: {filter: {name: m1.nano}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: eth0}, spec: {resource: {networkRef: routed, addresses: [{subnetRef: routed}]}}}
`

const machine = `---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Server, metadata: {name: web}, spec: {resource: {imageRef: os, flavorRef: small, ports: [{portRef: eth0}]}}}
`

// A failed server may leave a port plugged in when it is deleted. The port still belongs to the stack: another server gets it, and it
// can be deleted. (Launchpad 2134375)
func TestAPortOfAServerThatIsGone(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(routed + plugged + machine)
	left := func() {
		t.Helper()
		steps := g.MustSync(routed + plugged).Last.Steps
		port := steps[slices.IndexFunc(steps, func(s plan.Step) bool { return s.Key.Kind == "Port" })].ID()
		hand{t: t, c: g.Client(nil)}.do(cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + port,
			Body: map[string]any{"port": map[string]any{"device_id": "0f0e0d0c-0b0a-4009-8807-060504030201", "device_owner": "compute:nova"}}})
	}
	left()
	g.MustSync(routed + plugged + machine)
	left()
	g.MustSync("")
}

// Nova fails to build a machine again and again. Even so, its ports are those of the manifests, and no port is left when the manifests
// are removed. (Launchpad 2134375)
func TestFailedMachinesLeaveNothing(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("faults are the simulator's")
	}
	g.Only(routed + plugged + machine)
	ports := func() int {
		list, err := cloud.List[struct{ ID string }](t.Context(), g.Client(nil), cloud.Call{Service: cloud.Network, Path: "ports"}, "ports")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := ports()
	g.Simulator.Do(func() {
		for range 20 {
			g.Simulator.Nova.FailNextBuild("No valid host was found.")
		}
	})
	if pass := g.Sync(routed + plugged + machine); len(pass.Failures) == 0 {
		t.Error("nothing failed")
	}
	g.Sync(routed + plugged + machine)
	g.MustSync(routed + plugged)
	with := ports()
	g.MustSync("")
	if after := ports(); after != before || with > before+2 { // the port, and the port of the subnet's DHCP server
		t.Errorf("%d ports before, %d with one, %d after", before, with, after)
	}
}

// A request that creates a zone gets no answer, and the zone stays in ERROR. The zone is found by its mark, and no second one is made.
// (terraform-provider-openstack#1111)
func TestALostAnswerMakesOneZone(t *testing.T) {
	const zone = "{apiVersion: stackreeve.dev/v1alpha1, kind: DNSZone, metadata: {name: slow}, spec: {resource: {name: slow.zones.example., email: hostmaster@example.org}}}"
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(zone)
	posts := 0
	pass := g.SyncThrough(zone, func(next http.RoundTripper) http.RoundTripper {
		return through(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err != nil || r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/zones") {
				return resp, err
			}
			posts++
			_ = resp.Body.Close()
			return &http.Response{StatusCode: http.StatusGatewayTimeout, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
		})
	})
	if posts != 1 || pass.Outcome() != plan.InSync {
		t.Errorf("%d zones were asked for: %s, %v", posts, pass.Outcome(), pass.Failures)
	}
}

const addressed = `---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: public}, spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: FloatingIP, metadata: {name: www}, spec: {resource: {floatingNetworkRef: public, portRef: eth0}}}
`

// If a floating IP cannot be associated with its port, no pass creates a second floating IP. (gardener#1133)
func TestAFailingAssociationTakesOneAddress(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("addresses of others are counted")
	}
	doc := routed + plugged + addressed
	g.Only(doc + way)
	addresses := func() int {
		list, err := cloud.List[struct{ ID string }](t.Context(), g.Client(nil), cloud.Call{Service: cloud.Network, Path: "floatingips"}, "floatingips")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	for range 3 { // no router connects the external network with the port's network
		g.Sync(doc)
		if n := addresses(); n > 1 {
			t.Fatalf("%d addresses are taken", n)
		}
	}
	routes := strings.Replace(doc, "kind: Router, metadata: {name: routed}, spec: {resource: {}}", "kind: Router, metadata: {name: routed}, spec: {resource: {externalGateways: [{networkRef: public}]}}", 1) + way
	for range 3 { // and Neutron fails every association with a port
		g.SyncThrough(routes, func(next http.RoundTripper) http.RoundTripper {
			return through(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/floatingips/") {
					return &http.Response{StatusCode: http.StatusInternalServerError, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
				}
				return next.RoundTrip(r)
			})
		})
		if n := addresses(); n > 1 {
			t.Fatalf("%d addresses are taken", n)
		}
	}
	g.MustSync(routes)
	if n := addresses(); n != 1 {
		t.Errorf("%d addresses are taken", n)
	}
}

// Octavia answers 500 for a subnet that it cannot use. The agent tries again a limited number of times, and reports the error at the
// load balancer.
func TestABalancerOnAWrongSubnet(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Defaults.VIPNetworks = map[string]string{"private": "routed"}
	doc := routed + "---\n{apiVersion: stackreeve.dev/v1alpha1, kind: LoadBalancer, metadata: {name: front}, spec: {vipType: private, ports: [{port: 80, protocol: tcp, realServers: {addresses: [10.78.0.9]}}]}}\n"
	g.Only(doc)
	posts := 0
	pass := g.SyncThrough(doc, func(next http.RoundTripper) http.RoundTripper {
		return through(func(r *http.Request) (*http.Response, error) {
			if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/loadbalancers") {
				return next.RoundTrip(r)
			}
			posts++
			return &http.Response{StatusCode: http.StatusInternalServerError, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
				Body: io.NopCloser(strings.NewReader(`{"faultcode": "Server", "faultstring": "Subnet 1 is not on the network of the VIP."}`))}, nil
		})
	})
	named := slices.ContainsFunc(pass.Failures, func(f engine.Failure) bool {
		return f.Key.Kind == "LoadBalancer" && strings.Contains(f.Reason(), "Subnet 1 ")
	})
	if posts == 0 || posts > 6 || !named {
		t.Errorf("%d requests: %v", posts, pass.Failures)
	}
}

// A new image gets the name of an imported one. It replaces no machine and no volume, although replacing is allowed, and each step
// says why. If a commit changes the filter, they are replaced. (opentelekomcloud/terraform-provider-opentelekomcloud#3083)
func TestANewImageOfTheSameNameReplacesNothing(t *testing.T) {
	const docs = `---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: os}, spec: {managementPolicy: unmanaged, import: {filter: {name: NAME}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Flavor, metadata: {name: small}, spec: {managementPolicy: unmanaged, import: {filter: {name: m1.nano}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Server, metadata: {name: web}, spec: {resource: {imageRef: os, flavorRef: small, ports: []}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Volume, metadata: {name: root}, spec: {resource: {size: 1, imageRef: os}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: VirtualMachineGroup, metadata: {name: app}, spec: {replicas: 2, strategy: {type: Rolling}, template: {image: NAME, flavor: m1.nano}}}
`
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("images are renamed")
	}
	g.Defaults.Network = "routed"
	doc := routed + strings.ReplaceAll(docs, "NAME", "latest")
	g.Only(doc)
	h := hand{t: t, c: g.Client(nil)}
	image := func() string {
		id := h.make(cloud.Image, "images", "", map[string]any{"name": "latest", "disk_format": "raw", "container_format": "bare"})
		h.do(cloud.Call{Service: cloud.Image, Method: http.MethodPut, Path: "images/" + id + "/file", Headers: map[string]string{"Content-Type": "application/octet-stream"}, Stream: io.NopCloser(strings.NewReader("an image"))})
		return id
	}
	old := image()
	g.MustSync(doc)
	image()
	h.do(cloud.Call{Service: cloud.Image, Method: http.MethodDelete, Path: "images/" + old})
	about := map[string]bool{"Server": true, "Volume": true}
	refused := 0
	for _, s := range g.Planner(doc)(doc).Steps {
		if !about[s.Key.Kind] {
			continue
		}
		if s.Action == plan.Recreate {
			t.Errorf("%s: %s", s.Key, s.FullCause())
		}
		if s.Action == plan.Refuse && s.Causes.Has(cause.BarredImport) {
			refused++
		}
	}
	if refused != 4 {
		t.Errorf("%d of 4 say why", refused)
	}
	other := routed + strings.ReplaceAll(docs, "NAME", "cirros")
	for _, s := range g.Planner(other)(other).Steps {
		if s.Key.Kind == "Server" && s.Key.Name == "web" && s.Action != plan.Recreate {
			t.Errorf("another filter: %s: %s", s.Action, s.FullCause())
		}
	}
}
