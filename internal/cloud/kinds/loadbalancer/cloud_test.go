package loadbalancer_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// outside changes the cloud as people would, without the agent.
type outside struct {
	t *testing.T
	c *cloud.Client
}

func (o outside) do(method, path string, body any) {
	o.t.Helper()
	if err := o.c.Do(o.t.Context(), cloud.Call{Service: cloud.LoadBalancer, Method: method, Path: "lbaas/" + path, Body: body}); err != nil {
		o.t.Fatal(err)
	}
}

type thing struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Address  string `json:"address"`
	Balancer []struct {
		ID string `json:"id"`
	} `json:"loadbalancers"`
}

// id returns the ID of a child of a load balancer, by its name.
func (o outside) id(collection, balancer, name string) string {
	o.t.Helper()
	all, err := cloud.List[thing](o.t.Context(), o.c, cloud.Call{Service: cloud.LoadBalancer, Path: "lbaas/" + collection}, collection)
	if err != nil {
		o.t.Fatal(err)
	}
	for _, x := range all {
		if x.Name == name && (len(x.Balancer) == 0 || x.Balancer[0].ID == balancer) {
			return x.ID
		}
	}
	o.t.Fatalf("no %s named %s", collection, name)
	return ""
}

func stepOf(t *testing.T, p plan.Plan) plan.Step {
	t.Helper()
	i := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Key == key })
	if i < 0 {
		t.Fatal("the plan has no step for the load balancer")
	}
	return p.Steps[i]
}

// TestDriftIsCorrected changes one thing after the other in the cloud, as edits_test.go does in memory. Each time, the
// agent must restore the earlier state.
func TestDriftIsCorrected(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	o := outside{t, g.Client(nil)}
	lb := stepOf(t, g.MustSync(object).Last).ID()
	tests := []struct {
		name   string
		change func()
		field  string
	}{
		{"listener deleted", func() { o.do(http.MethodDelete, "listeners/"+o.id("listeners", lb, "front-80"), nil) }, "spec.ports[0]"},
		{"listener added", func() {
			o.do(http.MethodPost, "listeners", map[string]any{"listener": map[string]any{"loadbalancer_id": lb, "protocol": "TCP", "protocol_port": 99}})
		}, "spec.ports"},
		{"pool deleted", func() { o.do(http.MethodDelete, "pools/"+o.id("pools", lb, "front-80"), nil) }, "spec.ports[0].realServers"},
		{"members replaced", func() {
			o.do(http.MethodPut, "pools/"+o.id("pools", lb, "front-80")+"/members",
				map[string]any{"members": []any{map[string]any{"address": "10.0.0.241", "protocol_port": 8080, "weight": 7}}})
		}, "spec.ports[0].realServers"},
		{"monitor deleted", func() { o.do(http.MethodDelete, "healthmonitors/"+o.id("healthmonitors", lb, "front-80"), nil) }, "spec.ports[0].monitors"},
		{"renamed", func() {
			o.do(http.MethodPut, "loadbalancers/"+lb, map[string]any{"loadbalancer": map[string]any{"name": "x", "admin_state_up": false}})
		}, "spec.name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.change()
			pass := g.MustSync(object)
			seen := false
			for _, r := range pass.Results {
				seen = seen || kind.Has(r.Step.Changes, tt.field) && r.Step.Drift
			}
			if !seen {
				t.Errorf("%s was not reported as drift; results: %+v", tt.field, pass.Results)
			}
			if id := stepOf(t, pass.Last).ID(); id != lb {
				t.Errorf("it is another load balancer now")
			}
		})
	}
	// The following tests begin with a load balancer in sync and share this one, because a real cloud needs long to
	// create each.
	t.Run("reads by collection", func(t *testing.T) { readsByCollection(t, g.In(t)) })
	t.Run("zones", func(t *testing.T) { zones(t, g.In(t)) })
}

// reads records the requests to the load balancer service.
type reads struct {
	next  http.RoundTripper
	mu    sync.Mutex
	paths []string
}

func (r *reads) wrap(next http.RoundTripper) http.RoundTripper {
	r.next = next
	return r
}

// RoundTrip implements http.RoundTripper.
func (r *reads) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, path, ok := strings.Cut(req.URL.Path, "/lbaas/"); ok {
		r.mu.Lock()
		r.paths = append(r.paths, path)
		r.mu.Unlock()
	}
	return r.next.RoundTrip(req)
}

// A pass that finds no difference reads each collection once, and the members of each pool once.
func readsByCollection(t *testing.T, g *kindtest.Target) {
	var r reads
	g.SyncThrough(object, r.wrap)
	members := slices.DeleteFunc(slices.Clone(r.paths), func(path string) bool { return !strings.HasSuffix(path, "/members") })
	const collections, pools = 6, 2
	if got := len(r.paths) - len(members); got != collections {
		t.Errorf("%d reads of collections, want %d: %s", got, collections, r.paths)
	}
	// A real cloud may have load balancers of other tests at the same time.
	if len(members) < pools || len(members) > pools && g.Simulator != nil {
		t.Errorf("%d reads of members, want %d: %s", len(members), pools, r.paths)
	}
}

// If a batch names a member twice, Octavia 11 accepts it and then stays in PENDING_UPDATE forever. So two spellings of
// an address must become one member, both at creation and when the pool grows.
func TestMembersAreNamedOnce(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	twice := strings.Replace(object, "[10.0.0.241, 10.0.0.242]", `["2001:db8::1", "2001:DB8:0::1"]`, 1)
	g.MustSync(twice)
	g.MustSync(strings.Replace(twice, `["2001:db8::1", `, `["2001:db8::2", "2001:db8:0:0::2", "2001:db8::1", `, 1))
	g.MustSync(twice)
	if pass := g.MustSync(twice); len(pass.Results) > 0 {
		t.Errorf("the last pass did something: %v", pass.Results)
	}
}

func TestMachinesThatAreDownAreSeen(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("only the simulator lets machines fall over on demand")
	}
	g.MustSync(object)
	g.Simulator.Cloud.Do(func() { g.Simulator.Cloud.Octavia.SetDown("10.0.0.242") })
	step := stepOf(t, g.MustSync(object).Last)
	if want := "operating status DEGRADED: 10.0.0.242:8080 of front-80 is ERROR"; step.FullCause() != want {
		t.Errorf("says %q, want %q", step.FullCause(), want)
	}
}

func zones(t *testing.T, g *kindtest.Target) {
	notes := stepOf(t, g.Plan(object)).Notes
	if len(notes) != 1 || notes[0].Field != "spec.zone" {
		t.Errorf("notes are %v, want one on spec.zone: load balancers here know no zones", notes)
	}
	if g.Simulator == nil {
		return
	}
	g.MustSync("")
	g.Simulator.Cloud.Do(func() { g.Simulator.Cloud.Octavia.AddZone("az-a") })
	g.MustSync(object)
	elsewhere := strings.Replace(object, "zone: dev", "zone: az-aa", 1)
	if notes := stepOf(t, g.Plan(elsewhere)).Notes; len(notes) != 1 || !strings.Contains(notes[0].Text, "did you mean az-a?") {
		t.Errorf("notes are %v, want what zones there are", notes)
	}
	g.MustSync("")
	pass := g.Sync(elsewhere)
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "did you mean az-a?") {
		t.Errorf("failures are %v, want what zones there are", pass.Failures)
	}
}

// closed is a transport that refuses to list one collection of the load balancer service.
type closed struct {
	next       http.RoundTripper
	collection string
}

// RoundTrip implements http.RoundTripper.
func (c *closed) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet || !strings.HasSuffix(req.URL.Path, "/lbaas/"+c.collection) {
		return c.next.RoundTrip(req)
	}
	return &http.Response{Status: "403 Forbidden", StatusCode: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}}, Request: req,
		Body: io.NopCloser(strings.NewReader(`{"faultcode": "Client", "faultstring": "Policy does not allow this request to be performed.", "debuginfo": null}`))}, nil
}

// If the credentials may not list flavors or zones, existing load balancers still work. Only a new load balancer that
// names a flavor or a zone cannot be created.
func TestFlavorsAndZonesThatMayNotBeListed(t *testing.T) {
	for collection, tt := range map[string]struct{ fine, named, field string }{
		"flavors":           {object, strings.Replace(object, "serviceType: generic", "serviceType: big", 1), "spec.serviceType"},
		"availabilityzones": {strings.Replace(object, "  zone: dev\n", "", 1), object, "spec.zone"},
	} {
		t.Run(collection, func(t *testing.T) {
			g := kindtest.NewTarget(t, kinds).Through(func(next http.RoundTripper) http.RoundTripper { return &closed{next, collection} })
			g.Defaults.ServiceTypes["big"] = "big"
			g.MustSync(tt.fine)
			step := stepOf(t, g.Plan(tt.named))
			if !slices.ContainsFunc(step.Notes, func(n kind.Note) bool {
				return n.Field == tt.field && strings.Contains(n.Text, "no permission to list")
			}) {
				t.Errorf("notes are %v, want one on %s", step.Notes, tt.field)
			}
			if kind.Has(step.Changes, tt.field) {
				t.Errorf("changes are %v", step.Changes)
			}
			g.MustSync("")
			if pass := g.Sync(tt.named); len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "no permission to list") {
				t.Errorf("failures are %v", pass.Failures)
			}
		})
	}
}

func TestQuota(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("the project's quota is not a kind of this program to change")
	}
	want := "Quota has been met for resources: Member"
	project := g.Client(nil).ProjectID
	g.Simulator.Cloud.Do(func() { g.Simulator.Cloud.Octavia.SetQuota(project, "member", 2) })
	pass := g.Sync(object)
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), want) {
		t.Errorf("failures are %v, want %q", pass.Failures, want)
	}
}

// Octavia shows a network always in the same spelling, which may differ from the manifest's.
// (octavia/api/common/types.py: CidrType)
func TestNetworksInAnotherSpelling(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("a real Octavia takes no networks of IPv6 for an address of IPv4")
	}
	g.MustSync(strings.Replace(object, "192.168.0.0/16", `"2001:DB8::/32"`, 1))
	if p := g.Plan(strings.Replace(object, "192.168.0.0/16", `"2001:DB8::/32"`, 1)); !p.InSync() {
		t.Errorf("then the plan is %v", p.Summary())
	}
}
