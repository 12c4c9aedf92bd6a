package virtualmachinegroup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// outside is the manifests of a network whose machines can have floating IPs.
const outside = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: public}
spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: shop}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Router, metadata: {name: edge}, spec: {resource: {externalGateways: [{networkRef: public}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: shop}, spec: {resource: {networkRef: shop, ipVersion: 4, cidr: 192.168.50.0/24, routerRef: edge}}}
`

// standing is a transport that reports requests which remove a machine from its load balancer, or its floating IP, before the replacement
// serves.
type standing struct {
	next    http.RoundTripper
	name    string                  // name of the machine.
	id      string                  // ID of the machine's floating IP.
	serves  func() bool             // reports whether the replacement serves.
	wrong   func(what string)       // is called for each such request.
	mu      sync.Mutex              // guards the fields below.
	outside bool                    // the machine is not in the load balancer.
	members []struct{ Name string } // members of the load balancer.
}

func (s *standing) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case req.Method == http.MethodPut && strings.HasSuffix(req.URL.Path, "/members"):
		body, _ := io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(body))
		var in struct{ Members []struct{ Name string } }
		if err := json.Unmarshal(body, &in); err != nil {
			s.wrong(err.Error())
		}
		s.members = in.Members
		s.outside = !slices.Contains(in.Members, struct{ Name string }{s.name})
		if s.outside && !s.serves() {
			s.wrong("it is taken out of the load balancer")
		}
	case req.Method == http.MethodDelete && strings.HasSuffix(req.URL.Path, "/floatingips/"+s.id) && !s.serves():
		s.wrong("its floating IP is deleted")
	}
	return s.next.RoundTrip(req)
}

// served reports whether a server with this name has been running for at least the time ready.
func served(t *testing.T, c *cloud.Client, name string, ready time.Duration) bool {
	t.Helper()
	var answer struct {
		Servers []struct {
			Name, Status string
			Launched     string `json:"OS-SRV-USG:launched_at"`
		}
	}
	if err := c.Do(context.Background(), cloud.Call{Service: cloud.Compute, Path: "servers/detail", Into: &answer}); err != nil {
		t.Error(err)
	}
	for _, s := range answer.Servers {
		if since, err := time.Parse("2006-01-02T15:04:05.000000", s.Launched); err == nil && s.Name == name && s.Status == "ACTIVE" {
			return !time.Now().Before(since.Add(ready))
		}
	}
	return false
}

// If a machine is no longer in its group, it still gets requests and keeps its address until its replacement serves. This is so if the group
// gets other numbers, and if it gets smaller.
func TestAMachineStandsInUntilTheOneInItsPlaceServes(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	c := g.Client(nil)
	floating := strings.NewReplacer("  template:", "  template:\n    network: shop\n    floatingIP: {network: public}", "vipNetwork: private", "vipNetwork: shop")
	before := floating.Replace(with(1, "maxSurge: 1, minReadySeconds: 2, drainSeconds: 1")+front) + outside
	g.Only(before)
	made := ids(g.MustSync(before).Last)
	hinted := strings.Replace(before, "replicas: 1", "replicas: 1\n  removalHints: [web-0]", 1)
	s := &standing{name: "web-0", id: made["FloatingIP/web-0"], serves: func() bool { return served(t, c, "web-1", 2*time.Second) }, wrong: func(what string) {
		t.Errorf("%s, and web-1 does not serve yet", what)
	}}
	pass := g.SyncThrough(hinted, func(next http.RoundTripper) http.RoundTripper { s.next = next; return s })
	if pass.Outcome() != plan.InSync || pass.Drifted() > 0 || !s.outside || len(s.members) != 1 {
		t.Errorf("%s, %d drifted, behind the load balancer are %v: %v", pass.Outcome(), pass.Drifted(), s.members, pass.Failures)
	}
	if again := g.Plan(hinted); !again.InSync() {
		t.Errorf("then the plan is %v", again.Summary())
	}
	wantHolding(t, g, hinted, before)
}

// wantHolding requires that a plan from now to next deletes the machine and its floating IP only when more members serve.
func wantHolding(t *testing.T, g *kindtest.Target, now, next string) {
	t.Helper()
	g.MustSync(now)
	turns := map[string]cause.Code{}
	for _, s := range g.Plan(next).Steps {
		if s.Action == plan.Delete {
			turns[s.Key.String()] = s.Turn.Code
		}
	}
	if len(turns) != 3 || turns["Server/web-1"] != cause.MoreServe || turns["FloatingIP/web-1"] != cause.MoreServe {
		t.Errorf("what is deleted waits until %v", turns)
	}
}

// While its load balancer cannot be read, the last machine of a group is not deleted.
func TestNoLastMachineGoesWhileTheLoadBalancerCannotBeSeen(t *testing.T) {
	g := pure(t)
	before, none := with(1, "drainSeconds: 1")+front, with(0, "drainSeconds: 1")+front
	g.Only(before)
	g.MustSync(before)
	e, want := g.Engine(g.Client(nil)), g.Resolve(none)
	have := e.Observe(t.Context(), want)
	have["LoadBalancer"] = kind.Collection{Err: errors.New("refused")}
	p := decide.Compute(world.Input{Stack: g.Stack, Kinds: e.Kinds, Want: want, Have: have, Now: time.Now()})
	wantTurns(t, p, "web-0 delete seen LoadBalancer/front")
}

// If maxSurge becomes smaller during a rollout, a surplus spare machine stays as long as it replaces another one. Then it is drained like all
// machines before their deletion. Limits count the deletion, because the agent knows the spare only by its name, and it may belong to
// somebody else.
func TestASpareMachineThatIsOneTooManyServesMeanwhile(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	before := with(3, "drainSeconds: 1, maxSurge: 2") + front
	g.Only(before)
	g.MustSync(before)
	after := strings.Replace(before, "centos79", "cirros", 1)
	gate := &gate{t: t, names: namesOf(g), drained: map[string]time.Time{}, left: map[string]time.Time{}, behind: 3, floor: 3}
	through := func(next http.RoundTripper) http.RoundTripper { gate.next = next; return gate }
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	e := g.Engine(g.Client(through))
	e.Watcher = &stopper{stop: func() {
		if gate.mu.Lock(); len(gate.interrupted) == 2 {
			stop()
		}
		gate.mu.Unlock()
	}}
	e.Sync(ctx, engine.Revision{Commit: "c", Want: g.Resolve(after)})
	fewer := strings.Replace(after, "maxSurge: 2", "maxSurge: 1", 1)
	for _, s := range g.Plan(fewer).Steps {
		if _, harms := s.Harm(); strings.Contains(s.Key.Name, "spare-1") && (!harms || s.Action != plan.Delete) {
			t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
		}
	}
	pass := g.SyncThrough(fewer, through)
	if len(pass.Failures) > 0 || pass.Drifted() > 0 || len(gate.drained) > 0 || gate.behind != 3 {
		t.Errorf("failed: %v; %d drifted; still drained: %v; %d are behind the load balancer", pass.Failures, pass.Drifted(), gate.drained, gate.behind)
	}
	if slices.Sort(gate.interrupted); strings.Join(gate.interrupted, " ") != "web-0 web-1 web-2 web-spare-0 web-spare-1" {
		t.Errorf("%s were interrupted", gate.interrupted)
	}
	if again := g.Plan(fewer); !again.InSync() {
		t.Errorf("then the plan is %v", again.Summary())
	}
}
