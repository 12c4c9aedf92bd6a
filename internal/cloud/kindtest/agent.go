package kindtest

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// Client opens a new connection, as a newly started agent does. wrap may be nil.
func (g *Target) Client(wrap func(http.RoundTripper) http.RoundTripper) *cloud.Client {
	g.t.Helper()
	*g.used = true
	cfg := g.cfg
	cfg.Machines = g.Machines
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

// SharingClient does the same as Client for a stack that shares its reads with others.
func (g *Target) SharingClient(s *cloud.Sharing) *cloud.Client {
	part := *g
	part.cfg.Sharing = s
	return part.Client(nil)
}

// agent is the connection for agents without faults.
func (g *Target) agent() *cloud.Client {
	g.t.Helper()
	if g.wire.client == nil {
		g.wire.client = g.Client(nil)
	}
	return g.wire.client
}

// Engine is a newly started agent that uses c.
func (g *Target) Engine(c *cloud.Client) *engine.Engine {
	limit, err := guard.ParseLimit("100%")
	if err != nil {
		g.t.Fatal(err)
	}
	kinds := slices.DeleteFunc(g.open(c), func(k *kind.Kind) bool { return g.only != nil && !g.only[k.Info.Kind] })
	e := &engine.Engine{Stack: g.Stack, Kinds: kinds, Limits: guard.Limits{All: limit, DataLoss: true}, Replace: true,
		Timing: engine.Timing{Poll: 300 * time.Millisecond, PollMax: time.Second, Backoff: 200 * time.Millisecond, Grace: time.Millisecond}}
	if g.Simulator != nil {
		e.Timing = engine.Timing{Poll: 5 * time.Millisecond, PollMax: 50 * time.Millisecond, Backoff: 5 * time.Millisecond, UnansweredWait: 50 * time.Millisecond, Grace: time.Millisecond}
	}
	return e
}

// narrow limits the agent of a brief test to the kinds of all manifests so far, because the stack has no objects of other kinds.
func (g *Target) narrow(e *engine.Engine) *engine.Engine {
	some := false
	g.seen.Range(func(any, any) bool { some = true; return false })
	if g.Brief() && some {
		e.Kinds = slices.DeleteFunc(e.Kinds, func(k *kind.Kind) bool {
			_, seen := g.seen.Load(k.Info.Kind)
			return !seen
		})
	}
	return e
}

// Also makes the agent of a brief test list further kinds: those of which somebody else may have objects.
func (g *Target) Also(kinds ...string) {
	for _, name := range kinds {
		g.seen.Store(name, true)
	}
}

// open opens the kinds of the stack; c may be nil if only their rules are needed.
func (g *Target) open(c *cloud.Client) []*kind.Kind { return g.kinds(c, g.Defaults) }

// Resolve turns manifests into desired objects; it ends the test if they are wrong.
func (g *Target) Resolve(manifests string) []kind.Desired {
	g.t.Helper()
	want, err := g.TryResolve(manifests)
	if err != nil {
		g.t.Fatal(err)
	}
	return want
}

// TryResolve does the same as Resolve, but returns an error if the manifests are wrong.
func (g *Target) TryResolve(manifests string) ([]kind.Desired, error) {
	files := fstest.MapFS{"test.yaml": {Data: []byte(manifests)}}
	want, _, err := resolve.Read(files, g.open(nil))
	for _, w := range want {
		g.seen.Store(w.Key.Kind, true)
	}
	return want, err
}

// Refuses reads the manifests for each change, and checks that the change's field is refused.
func (g *Target) Refuses(fields map[string]string, manifests func(change string) string) {
	g.t.Helper()
	for change, field := range fields {
		if _, err := g.TryResolve(manifests(change)); !Refuses(err, field) {
			g.t.Errorf("%s: %v, want a problem of %s", change, err, field)
		}
	}
}

// RefusesEdits applies each edit (old text, new text, field) to object, which depends on the manifests needs. It checks
// that the field is then refused.
func (g *Target) RefusesEdits(needs, object string, edits map[string][3]string) {
	g.t.Helper()
	for name, edit := range edits {
		before, after, field := edit[0], edit[1], edit[2]
		if !strings.Contains(object, before) {
			g.t.Errorf("%s: %q is not in the manifest", name, before)
		}
		if _, err := g.TryResolve(needs + "\n---\n" + strings.Replace(object, before, after, 1)); !Refuses(err, field) {
			g.t.Errorf("%s: %v, want a problem of %s", name, err, field)
		}
	}
}

// Refuses reports whether a problem of err is about the field.
func Refuses(err error, field string) bool {
	var problems manifest.Problems
	return errors.As(err, &problems) && slices.ContainsFunc(problems, func(p manifest.Problem) bool { return p.Field == field })
}

// Sync brings the cloud in sync with the manifests, with a newly started agent.
func (g *Target) Sync(manifests string) engine.Pass {
	g.t.Helper()
	return g.SyncThrough(manifests, nil)
}

// MustSync does the same as Sync, and ends the test unless the result is in sync.
func (g *Target) MustSync(manifests string) engine.Pass {
	g.t.Helper()
	pass := g.Sync(manifests)
	if pass.Outcome() != plan.InSync {
		g.t.Fatalf("%s: %v\nleft: %v", pass.Outcome(), pass.Failures, unfinishedSteps(pass.Last))
	}
	return pass
}

// SyncThrough does the same as Sync, with a layer between agent and network.
func (g *Target) SyncThrough(manifests string, wrap func(http.RoundTripper) http.RoundTripper) engine.Pass {
	g.t.Helper()
	bound := 3 * time.Minute
	if g.Simulator == nil {
		bound = 10 * time.Minute // a real cloud may be busy
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(g.t.Context()), bound)
	defer cancel()
	return g.sync(ctx, manifests, wrap)
}

// SyncUntilKilled does the same as Sync, but the agent is killed after its n-th writing request, before it reads the answer.
// reached is false if the agent sent fewer writing requests.
func (g *Target) SyncUntilKilled(manifests string, n int) (reached bool) {
	g.t.Helper()
	ctx, die := context.WithCancel(context.WithoutCancel(g.t.Context()))
	defer die()
	k := &killer{left: n, die: die}
	g.sync(ctx, manifests, k.wrap)
	return k.left == 0
}

func (g *Target) sync(ctx context.Context, manifests string, wrap func(http.RoundTripper) http.RoundTripper) engine.Pass {
	g.t.Helper()
	c := g.agent()
	if wrap != nil {
		c = g.Client(wrap)
	}
	want := g.Resolve(manifests)
	pass := g.narrow(g.Engine(c)).Sync(ctx, engine.Revision{Commit: "test", Want: want})
	g.oneHash(pass.First)
	g.oneHash(pass.Last)
	return pass
}

// memory matches an address in a process's memory.
var memory = regexp.MustCompile(`0x[0-9a-f]{8,}`)

// oneHash fails the test if the values in a plan's hash differ between processes. An approval of such a plan would never be valid.
func (g *Target) oneHash(p plan.Plan) {
	g.t.Helper()
	for _, s := range p.Steps {
		for _, c := range s.Changes {
			if text := resolve.Canonical(c.Have) + resolve.Canonical(c.Want); memory.MatchString(text) {
				g.t.Errorf("the change of %s of %s shows an address in memory: %s", c.Field, s.Key, text)
			}
		}
	}
}

// Plan plans the manifests without changing the cloud.
func (g *Target) Plan(manifests string) plan.Plan {
	g.t.Helper()
	want := g.Resolve(manifests)
	return g.narrow(g.Engine(g.agent())).Preview(context.WithoutCancel(g.t.Context()), "test", want, nil)
}

// Planner reads the cloud once, as far as the manifests need it. It returns a function that plans manifests for the state of the
// cloud at that moment.
func (g *Target) Planner(manifests string) func(manifests string) plan.Plan {
	g.t.Helper()
	want := g.Resolve(manifests)
	e := g.narrow(g.Engine(g.agent()))
	have := e.Observe(context.WithoutCancel(g.t.Context()), want)
	return func(manifests string) plan.Plan {
		return decide.Compute(world.Input{Stack: g.Stack, Commit: "test", Kinds: e.Kinds, Want: g.Resolve(manifests), Have: have, Rules: world.Rules{Replace: true}})
	}
}

// projectObjects returns all objects of the project in a simulator, with and without a mark. It returns nothing for a real cloud, where
// other people create objects at the same time.
func (g *Target) projectObjects() map[string]bool {
	g.t.Helper()
	found := map[string]bool{}
	if g.Simulator == nil {
		return found
	}
	whole := *g
	whole.only = nil
	for kind, c := range whole.Engine(g.agent()).Observe(context.WithoutCancel(g.t.Context()), nil) {
		for _, item := range c.Items {
			if item.InOwnProject && item.Name != "default" { // Neutron creates this security group for each project
				found[kind+" "+item.ID+" ("+item.Name+")"] = true
			}
		}
	}
	return found
}

func unfinishedSteps(p plan.Plan) []string {
	var out []string
	for _, s := range p.Steps {
		if s.Action != plan.Keep || len(s.Changes) > 0 {
			out = append(out, string(s.Action)+" "+s.Key.String()+": "+s.FullCause()+" "+describe(s.Changes))
		}
	}
	return out
}
