package virtualmachinegroup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const front = `
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  vipNetwork: private
  ports:
  - {port: 80, protocol: http, realServers: {virtualMachineGroupRef: web}}
`

// gate is a transport that checks each request which interrupts a server: the server must have been drained before. It records when
// members of the load balancer stop getting new connections.
type gate struct {
	t     *testing.T
	next  http.RoundTripper
	names func(id string) string // returns the name of the server with that ID.

	mu          sync.Mutex
	drained     map[string]time.Time // when members were drained, by name.
	left        map[string]time.Time // when members were removed from the load balancer, by name.
	inside      []member             // the members of the load balancer.
	behind      int                  // the number of members.
	floor       int                  // the number of members that must get new connections at any time.
	interrupted []string
}

var interrupts = regexp.MustCompile(`/servers/([0-9a-f-]+)(/action)?$`)

func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	switch found := interrupts.FindStringSubmatch(req.URL.Path); {
	case found != nil && (req.Method == http.MethodDelete || req.Method == http.MethodPost && bytes.Contains(body, []byte(`"resize"`))):
		g.interrupt(g.names(found[1]))
	case req.Method == http.MethodPut && strings.HasSuffix(req.URL.Path, "/members"):
		g.members(body)
	}
	return g.next.RoundTrip(req)
}

type member struct {
	Name   string
	Weight int
}

func (g *gate) members(body []byte) {
	var in struct {
		Members []member
	}
	if err := json.Unmarshal(body, &in); err != nil {
		g.t.Error(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.drained
	for _, was := range g.inside {
		if slices.ContainsFunc(in.Members, func(m member) bool { return m.Name == was.Name }) {
			continue
		}
		if g.left[was.Name] = time.Now(); was.Weight == 0 {
			g.left[was.Name] = before[was.Name]
		}
	}
	g.drained, g.inside, g.behind = map[string]time.Time{}, in.Members, len(in.Members)
	for _, m := range in.Members {
		if since, known := before[m.Name]; m.Weight == 0 && known {
			g.drained[m.Name] = since
		} else if m.Weight == 0 {
			g.drained[m.Name] = time.Now()
		}
	}
}

func (g *gate) interrupt(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.interrupted = append(g.interrupted, name)
	since, drained := g.drained[name]
	if left, out := g.left[name]; out {
		since, drained = left, true
	}
	if !drained || time.Since(since) < time.Second || g.behind-len(g.drained) < g.floor {
		g.t.Errorf("%s is interrupted, and gets nothing new for %s; drained are %v of %d", name, time.Since(since), g.drained, g.behind)
	}
}

// Before a machine behind a load balancer is interrupted, by any sort of change, it gets no new connections for a while. After the
// change, it gets connections again. None of this is drift.
func TestMachinesAreDrainedBeforeTheyAreInterrupted(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := kindtest.NewTarget(t, all.Kinds)
	c := g.Client(nil)
	names := func(id string) string {
		var answer struct{ Server struct{ Name string } }
		if err := c.Do(context.Background(), cloud.Call{Service: cloud.Compute, Path: "servers/" + id, Into: &answer}); err != nil {
			t.Error(err)
		}
		return answer.Server.Name
	}
	resizing := strings.NewReplacer("metadata: {name: web}", `metadata: {name: web, annotations: {stackreeve.dev/change-policy: "flavor=resize"}}`)
	before := resizing.Replace(with(3, "drainSeconds: 1")) + front
	g.Only(before)
	g.MustSync(before)
	for what, edit := range map[string]*strings.Replacer{
		"replaced": strings.NewReplacer("centos79", "cirros"),
		"resized":  strings.NewReplacer("n3-1vcpu-2gb", "m1.small"),
	} {
		t.Run(what, func(t *testing.T) {
			if g.Brief() && what == "replaced" {
				t.Skip("drained as for a resize")
			}
			gate := &gate{t: t, names: names, drained: map[string]time.Time{}, left: map[string]time.Time{}, behind: 3, floor: 2}
			pass := g.SyncThrough(edit.Replace(before), func(next http.RoundTripper) http.RoundTripper { gate.next = next; return gate })
			if len(pass.Failures) > 0 || pass.Drifted() > 0 || len(gate.drained) > 0 {
				t.Errorf("failed: %v; %d drifted; still drained: %v", pass.Failures, pass.Drifted(), gate.drained)
			}
			if got := strings.Join(gate.interrupted, " "); got != "web-0 web-1 web-2" {
				t.Errorf("%s were interrupted", got)
			}
			if again := g.Plan(edit.Replace(before)); !again.InSync() {
				t.Errorf("then the plan is %v", again.Steps)
			}
			if !g.Brief() {
				g.MustSync(strings.Replace(before, "drainSeconds: 1", "drainSeconds: 0, type: Recreate", 1))
				g.MustSync(before)
			}
		})
	}
}

// namesOf returns the names of servers by their IDs.
func namesOf(g *kindtest.Target) func(id string) string {
	c := g.Client(nil)
	return func(id string) string {
		var answer struct{ Server struct{ Name string } }
		_ = c.Do(context.Background(), cloud.Call{Service: cloud.Compute, Path: "servers/" + id, Into: &answer})
		return answer.Server.Name
	}
}

// With a spare machine, the full number of machines serves at any time. The spare is created first and joins the load balancer like the
// other machines. At the end, it is drained and deleted.
func TestASpareMachineServesMeanwhile(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	before := with(3, "drainSeconds: 1, maxSurge: 1") + front
	g.Only(before)
	g.MustSync(before)
	after := strings.Replace(before, "centos79", "cirros", 1)
	gate := &gate{t: t, names: namesOf(g), drained: map[string]time.Time{}, left: map[string]time.Time{}, behind: 3, floor: 3}
	pass := g.SyncThrough(after, func(next http.RoundTripper) http.RoundTripper { gate.next = next; return gate })
	if len(pass.Failures) > 0 || pass.Drifted() > 0 || len(gate.drained) > 0 || gate.behind != 3 {
		t.Errorf("failed: %v; %d drifted; still drained: %v; %d are behind the load balancer", pass.Failures, pass.Drifted(), gate.drained, gate.behind)
	}
	if got := strings.Join(gate.interrupted, " "); got != "web-0 web-1 web-2 web-spare-0" {
		t.Errorf("%s were interrupted", got)
	}
	if s := pass.First.Summary(); s.Create != 2 || s.Replace != 3 || s.Delete != 0 {
		t.Errorf("the first plan: %s", s)
	}
	if again := g.Plan(after); !again.InSync() {
		t.Errorf("then the plan is %v", again.Summary())
	}
	// The spare was deleted, and no step is left for it.
	for _, s := range pass.Last.Steps {
		if strings.Contains(s.Key.Name, "spare") {
			t.Errorf("%s: %s", s.Key, s.Action)
		}
	}
}

// The approval of a change covers all of its steps. If an agent stops after some machines, the next agent needs no other approval.
func TestAnApprovalIsGoodForAWholeRollout(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	before := with(3, "drainSeconds: 1") + front
	g.Only(before)
	g.MustSync(before)
	manual := []plan.Policy{guard.Manual("for a test")}
	rev := engine.Revision{Commit: "c", Want: g.Resolve(strings.Replace(before, "n3-1vcpu-2gb", "m1.small", 1))}
	agent := func() *engine.Engine {
		e := g.Engine(g.Client(nil))
		e.Policies = manual
		return e
	}
	held := agent().Sync(t.Context(), rev)
	if held.First.Held == nil {
		t.Fatal("it is not held")
	}
	rev.Approved = []plan.Approval{{Hash: held.First.Hash(), Commit: "c", Proof: held.First.Proof()}}
	for stops := 0; ; stops++ {
		ctx, stop := context.WithCancel(t.Context())
		e := agent()
		e.Watcher = &stopper{stop: stop}
		pass := e.Sync(ctx, rev)
		stop()
		if pass.First.Held != nil {
			t.Fatalf("after %d stops: %s", stops, pass.First.Held)
		}
		if !pass.Interrupted {
			if pass.Outcome() != plan.InSync || stops < 3 {
				t.Errorf("after %d stops: %s: %v", stops, pass.Outcome(), pass.Failures)
			}
			return
		}
	}
}

// An agent that may carry out only one plan also carries out the whole rollout.
func TestOnlyOnePlanIsAWholeRollout(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	before := with(3, "drainSeconds: 1") + front
	g.Only(before)
	g.MustSync(before)
	rev := engine.Revision{Commit: "c", Want: g.Resolve(strings.Replace(before, "n3-1vcpu-2gb", "m1.small", 1)), Only: "another"}
	e := g.Engine(g.Client(nil))
	rev.Only = e.Sync(t.Context(), rev).First.Hash()
	if pass := e.Sync(t.Context(), rev); pass.Outcome() != plan.InSync || pass.Writes() < 3 {
		t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
	}
}

// stopper is a watcher that calls stop after each step.
type stopper struct{ stop context.CancelFunc }

func (*stopper) Planned(plan.Plan, preflight.Findings) {}
func (*stopper) Started(plan.Step)                     {}
func (*stopper) Progress(engine.Progress)              {}
func (s *stopper) Finished(engine.Result)              { s.stop() }

// leaving is a transport that records when the members of the load balancer were changed last, and when the server id is deleted.
type leaving struct {
	next       http.RoundTripper
	id         string
	mu         sync.Mutex
	out, ended time.Time
}

func (l *leaving) RoundTrip(req *http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case req.Method == http.MethodPut && strings.HasSuffix(req.URL.Path, "/members"):
		l.out = time.Now()
	case req.Method == http.MethodDelete && strings.HasSuffix(req.URL.Path, l.id):
		l.ended = time.Now()
	}
	return l.next.RoundTrip(req)
}

// If a machine is no longer in its group, it is first removed from the load balancer, and deleted a while later. This is so even if the
// group has no machines any more.
func TestAMachineThatGoesFinishesWhatItHas(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(with(3, "drainSeconds: 2") + front)
	made := ids(g.MustSync(with(3, "drainSeconds: 2") + front).Last)
	for _, left := range []int{2, 0} {
		l := &leaving{id: made[fmt.Sprintf("Server/web-%d", left)]}
		fewer := with(left, "drainSeconds: 2") + front
		pass := g.SyncThrough(fewer, func(next http.RoundTripper) http.RoundTripper { l.next = next; return l })
		if len(pass.Failures) > 0 || l.out.IsZero() || l.ended.Sub(l.out) < 2*time.Second {
			t.Errorf("%d are left: taken out, and deleted %s later: %v", left, l.ended.Sub(l.out), pass.Failures)
		}
		if again := g.Plan(fewer); !again.InSync() {
			t.Errorf("%d are left: then the plan is %v", left, again.Summary())
		}
	}
}

// answering is a transport that changes the responses of the cloud.
type answering struct {
	next   http.RoundTripper
	change func(req *http.Request, resp *http.Response)
}

func (a *answering) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := a.next.RoundTrip(req)
	if err == nil {
		a.change(req, resp)
	}
	return resp, err
}

// says replaces the status and the body of a response.
func says(resp *http.Response, code int, body []byte) {
	resp.Body.Close()
	resp.StatusCode, resp.Status = code, fmt.Sprint(code)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.Header.Del("Content-Length")
}

// While load balancers cannot be read, the agent does not know which machines serve, and cannot drain any. Then no serving machine is
// deleted, neither for a replacement nor because the group shrinks.
func TestNoMachineGoesWhileTheLoadBalancerCannotBeSeen(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	before := with(3, "drainSeconds: 1") + front
	g.Only(before)
	g.MustSync(before)
	for what, after := range map[string]string{
		"replaced": strings.Replace(before, "centos79", "cirros", 1),
		"fewer":    with(2, "drainSeconds: 1") + front,
	} {
		t.Run(what, func(t *testing.T) {
			var gone atomic.Int32
			c := g.Client(func(next http.RoundTripper) http.RoundTripper {
				return &answering{next, func(req *http.Request, resp *http.Response) {
					switch {
					case req.Method == http.MethodGet && strings.Contains(req.URL.Path, "/lbaas/"):
						says(resp, http.StatusInternalServerError, nil)
					case req.Method == http.MethodDelete && strings.Contains(req.URL.Path, "/servers/"):
						gone.Add(1)
					}
				}}
			})
			pass := g.Engine(c).Sync(t.Context(), engine.Revision{Commit: "c", Want: g.Resolve(after)})
			if gone.Load() > 0 || pass.Outcome() != plan.Broken {
				t.Errorf("%s, and %d machines are gone", pass.Outcome(), gone.Load())
			}
			if !slices.ContainsFunc(pass.Last.Steps, func(s plan.Step) bool { return s.Turn.Code == cause.Seen }) {
				t.Error("nothing says what is waited for")
			}
		})
	}
}

// If the health of a machine changes all the time, the load balancer is updated each time. The machine is drained for no longer than
// other machines nevertheless.
func TestAMachineThatFlapsIsDrainedInTime(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	before := with(3, "drainSeconds: 2") + front
	g.Only(before)
	g.MustSync(before)
	updated := regexp.MustCompile(`"updated_at": ?"[^"]*"`)
	for what, after := range map[string]string{
		"replaced": strings.Replace(before, "centos79", "cirros", 1),
		"fewer":    strings.Replace(with(2, "drainSeconds: 2")+front, "centos79", "cirros", 1),
	} {
		t.Run(what, func(t *testing.T) {
			c := g.Client(func(next http.RoundTripper) http.RoundTripper {
				return &answering{next, func(req *http.Request, resp *http.Response) {
					if req.Method != http.MethodGet || !strings.Contains(req.URL.Path, "/lbaas/") || resp.StatusCode != http.StatusOK {
						return
					}
					text, err := io.ReadAll(resp.Body)
					if err != nil {
						t.Error(err)
					}
					says(resp, http.StatusOK, updated.ReplaceAll(text, []byte(`"updated_at": "`+time.Now().UTC().Format("2006-01-02T15:04:05")+`"`)))
				}}
			})
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			if pass := g.Engine(c).Sync(ctx, engine.Revision{Commit: "c", Want: g.Resolve(after)}); pass.Outcome() != plan.InSync {
				t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
			}
		})
	}
}
