// Package kindtest holds the laws that every kind obeys, as one suite, and the
// cloud to run it on: the simulator, or a real OpenStack when
// STACKREEVE_TEST_CLOUD names an entry of clouds.yaml.
package kindtest

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// Kinds opens the kinds of a cloud.
type Kinds func(*cloud.Client) []kind.Kind

// Target is a cloud under test, and a stack of its own in it.
type Target struct {
	t        *testing.T
	cfg      cloud.Config
	kinds    Kinds
	Stack    string
	Defaults kind.Defaults
	// Simulator is the cloud, when it is not a real one.
	Simulator *simulator.Server

	only map[string]bool // the kinds that agents look at; nil for all
	used *bool           // whether any agent was let loose
	wire *wire
	// between stands between every agent and the cloud; nil for nothing.
	between func(http.RoundTripper) http.RoundTripper
}

// wire is how the agents of a target reach their cloud. They share connections
// and, where nothing stands between them and the cloud, a token: a real cloud
// needs a while for each.
type wire struct {
	transport *http.Transport
	client    *cloud.Client
	requests  atomic.Int64
}

// NewTarget starts a simulator for the test, or takes the cloud named by
// STACKREEVE_TEST_CLOUD. Whatever the test leaves there under its stack is
// deleted at its end.
func NewTarget(t *testing.T, kinds Kinds) *Target {
	t.Helper()
	return NewTargetOn(t, kinds, nil)
}

// NewTargetOn is NewTarget with a simulator of another sort, unless options are
// nil; a real cloud is what it is, and the test is skipped.
func NewTargetOn(t *testing.T, kinds Kinds, options *simulator.Options) *Target {
	t.Helper()
	target := newTarget(t, kinds)
	t.Cleanup(target.wire.transport.CloseIdleConnections)
	switch name := os.Getenv("STACKREEVE_TEST_CLOUD"); {
	case name == "":
		target.Simulator, target.cfg = startSimulator(t, table.Or(options, simulator.Options{}))
	case options != nil:
		t.Skip("a real cloud is what it is")
	default:
		target.cfg = cloud.Config{Cloud: name}
	}
	target.emptyAtEnd()
	return target
}

// MarksInDescriptions has every agent keep marks there, and is the same target.
func (g *Target) MarksInDescriptions() *Target {
	g.cfg.MarksInDescriptions = true
	return g
}

// Beside is another stack in the same cloud, with the credentials of another
// entry of clouds.yaml unless entry is "". For a real cloud the entry is called
// like that of the cloud, with this one's name behind a hyphen; the test is
// skipped where there is none.
func (g *Target) Beside(entry string) *Target {
	g.t.Helper()
	other := newTarget(g.t, g.kinds)
	g.t.Cleanup(other.wire.transport.CloseIdleConnections)
	other.Simulator, other.cfg = g.Simulator, g.cfg
	if entry != "" {
		other.cfg.Cloud = entry
	}
	if entry != "" && g.Simulator == nil {
		other.cfg.Cloud = g.cfg.Cloud + "-" + entry
		if _, err := cloud.Open(context.WithoutCancel(g.t.Context()), other.cfg); errors.Is(err, kind.ErrRejected) {
			g.t.Skip(err)
		}
	}
	other.emptyAtEnd()
	return other
}

// Through is the same target behind something that every agent has to go
// through.
func (g *Target) Through(wrap func(http.RoundTripper) http.RoundTripper) *Target {
	other := *g
	other.between = wrap
	other.wire = &wire{transport: g.wire.transport}
	return &other
}

// In is the same target for a part of the test.
func (g *Target) In(t *testing.T) *Target {
	part := *g
	part.t = t
	return &part
}

// Only makes agents look at no kinds but those of the manifests and what they
// are expanded into: a real cloud takes its time for every list.
func (g *Target) Only(manifests ...string) {
	g.t.Helper()
	g.only = map[string]bool{}
	for _, m := range manifests {
		for _, want := range g.Resolve(m) {
			g.only[want.Key.Kind] = true
		}
	}
}

func newTarget(t *testing.T, kinds Kinds) *Target {
	target := &Target{t: t, kinds: kinds, used: new(bool), Stack: "t" + strings.ToLower(rand.Text())[:10], wire: &wire{transport: &http.Transport{MaxIdleConnsPerHost: 32}}}
	target.Defaults = kind.Defaults{Network: "private", VIPNetworks: map[string]string{"private": "private", "public": "public"},
		Regions: map[string]string{"tokyo1": "RegionOne"}, Zones: map[string]string{"dev": "az-a"}, ServiceTypes: map[string]string{"generic": ""}, Region: "RegionOne"}
	return target
}

func (g *Target) emptyAtEnd() {
	g.t.Cleanup(func() {
		if !*g.used {
			return
		}
		if pass := g.Sync(""); pass.Outcome() != plan.InSync {
			g.t.Errorf("clean-up: %s: %v", pass.Outcome(), pass.Failures)
		}
	})
}

// Client opens a connection of its own, as a newly started agent would. wrap
// may be nil.
func (g *Target) Client(wrap func(http.RoundTripper) http.RoundTripper) *cloud.Client {
	g.t.Helper()
	*g.used = true
	cfg := g.cfg
	cfg.Wrap = func(http.RoundTripper) http.RoundTripper {
		var next http.RoundTripper = g.wire.transport
		for _, w := range []func(http.RoundTripper) http.RoundTripper{g.between, wrap} {
			if w != nil {
				next = w(next)
			}
		}
		return next
	}
	cfg.Observe = func(cloud.Request) { g.wire.requests.Add(1) }
	c, err := cloud.Open(context.WithoutCancel(g.t.Context()), cfg)
	if err != nil {
		g.t.Fatal(err)
	}
	return c
}

// Engine is an agent that has just been started, over c.
func (g *Target) Engine(c *cloud.Client) *engine.Engine {
	limit, err := plan.ParseLimit("100%")
	if err != nil {
		g.t.Fatal(err)
	}
	kinds := slices.DeleteFunc(g.kinds(c), func(k kind.Kind) bool { return g.only != nil && !g.only[k.Info().Kind] })
	e := &engine.Engine{Stack: g.Stack, Kinds: kinds, Limits: plan.Limits{All: limit}, Replace: true,
		Timing: engine.Timing{Poll: 100 * time.Millisecond, PollMax: time.Second, Backoff: 200 * time.Millisecond, Grace: time.Millisecond}}
	if g.Simulator != nil {
		e.Timing = engine.Timing{Poll: 5 * time.Millisecond, PollMax: 50 * time.Millisecond, Backoff: 5 * time.Millisecond, Grace: time.Millisecond}
	}
	return e
}

// SyncUntilKilled is Sync by an agent that dies right after its n-th writing
// request, before the answer reaches it. reached is false when it ended before.
func (g *Target) SyncUntilKilled(manifests string, n int) (reached bool) {
	g.t.Helper()
	ctx, die := context.WithCancel(context.WithoutCancel(g.t.Context()))
	defer die()
	k := &killer{left: n, die: die}
	g.sync(ctx, manifests, k.wrap)
	return k.left == 0
}

// Resolve turns manifests into what the stack wants; it ends the test when
// they are wrong.
func (g *Target) Resolve(manifests string) []kind.Desired {
	g.t.Helper()
	want, err := g.TryResolve(manifests)
	if err != nil {
		g.t.Fatal(err)
	}
	return want
}

// TryResolve is Resolve for manifests that may be wrong.
func (g *Target) TryResolve(manifests string) ([]kind.Desired, error) {
	files := fstest.MapFS{"test.yaml": {Data: []byte(manifests)}}
	want, _, err := resolve.Read(files, g.kinds(nil), g.Defaults)
	return want, err
}

// Sync makes the cloud as the manifests say, with a newly started agent.
func (g *Target) Sync(manifests string) engine.Pass {
	g.t.Helper()
	return g.SyncThrough(manifests, nil)
}

// SyncThrough is Sync with something between agent and network.
func (g *Target) SyncThrough(manifests string, wrap func(http.RoundTripper) http.RoundTripper) engine.Pass {
	g.t.Helper()
	bound := 3 * time.Minute
	if g.Simulator == nil {
		bound = 10 * time.Minute // a real cloud may have other work
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(g.t.Context()), bound)
	defer cancel()
	return g.sync(ctx, manifests, wrap)
}

func (g *Target) sync(ctx context.Context, manifests string, wrap func(http.RoundTripper) http.RoundTripper) engine.Pass {
	g.t.Helper()
	c := g.agent()
	if wrap != nil {
		c = g.Client(wrap)
	}
	return g.Engine(c).Sync(ctx, engine.Revision{Commit: "test", Want: g.Resolve(manifests)})
}

// agent is the connection of agents that nothing disturbs.
func (g *Target) agent() *cloud.Client {
	g.t.Helper()
	if g.wire.client == nil {
		g.wire.client = g.Client(nil)
	}
	return g.wire.client
}

// MustSync is Sync for manifests that must end in sync.
func (g *Target) MustSync(manifests string) engine.Pass {
	g.t.Helper()
	pass := g.Sync(manifests)
	if pass.Outcome() != plan.InSync {
		g.t.Fatalf("%s: %v\nleft: %v", pass.Outcome(), pass.Failures, left(pass.Last))
	}
	return pass
}

// Plan makes the plan for the manifests without touching the cloud.
func (g *Target) Plan(manifests string) plan.Plan {
	g.t.Helper()
	return g.Engine(g.agent()).Plan(context.WithoutCancel(g.t.Context()), "test", g.Resolve(manifests), nil)
}

// Planner looks at the cloud once, at what the manifests speak of, and makes
// plans for that moment.
func (g *Target) Planner(manifests string) func(manifests string) plan.Plan {
	g.t.Helper()
	e := g.Engine(g.agent())
	have := e.Observe(context.WithoutCancel(g.t.Context()), g.Resolve(manifests))
	return func(manifests string) plan.Plan {
		return plan.Compute(plan.Input{Stack: g.Stack, Commit: "test", Kinds: e.Kinds, Want: g.Resolve(manifests), Have: have, Replace: true})
	}
}

// mine names what the project holds in a simulator, marked or not. In a real
// cloud others are at work meanwhile: there it is empty.
func (g *Target) mine() map[string]bool {
	g.t.Helper()
	found := map[string]bool{}
	if g.Simulator == nil {
		return found
	}
	whole := *g
	whole.only = nil
	for kind, c := range whole.Engine(g.agent()).Observe(context.WithoutCancel(g.t.Context()), nil) {
		for _, item := range c.Items {
			if item.Mine && item.Name != "default" { // the security group that Neutron makes for a project
				found[kind+" "+item.ID+" ("+item.Name+")"] = true
			}
		}
	}
	return found
}

func left(p plan.Plan) []string {
	var out []string
	for _, s := range p.Steps {
		if s.Action != plan.Keep || len(s.Changes) > 0 {
			out = append(out, string(s.Action)+" "+s.Key.String()+": "+s.Reason+" "+describe(s.Changes))
		}
	}
	return out
}

// Counter counts requests by method while it passes them on.
type Counter struct {
	next          http.RoundTripper
	Reads, Writes atomic.Int64
}

// Wrap puts the counter in front of next.
func (c *Counter) Wrap(next http.RoundTripper) http.RoundTripper {
	c.next = next
	return c
}

// RoundTrip implements http.RoundTripper. Authentication is not counted: it
// writes nothing.
func (c *Counter) RoundTrip(req *http.Request) (*http.Response, error) {
	switch {
	case req.Method == http.MethodGet:
		c.Reads.Add(1)
	case !strings.HasSuffix(req.URL.Path, "/auth/tokens"):
		c.Writes.Add(1)
	}
	return c.next.RoundTrip(req)
}
