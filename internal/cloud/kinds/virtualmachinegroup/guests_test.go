package virtualmachinegroup_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/probe"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// These tests run on real machines (deploy/devcloud/README.md). A client uses a group while agents change it. Each agent is killed at some moment,
// and the next one starts with an empty disk. Fewer machines than the group allows may serve only if the test itself has broken some.

// guests is a group of real machines. Their web servers answer with the version. A DELETE request stops the web server.
type guests struct {
	version  string // "" for a template without a web server
	replicas int    // 3 if it is 0
	strategy string // in addition to maxUnavailable: 1
	spec     string // other fields of the spec
	front    bool   // the group is behind a load balancer
}

const serveScript = `
        #!/bin/sh
        mkdir -p /srv/www && cd /srv/www && echo VERSION >version
        cat >/srv/serve.py <<'E'
        import http.server, os
        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_DELETE(self):
                os._exit(1)
        http.server.ThreadingHTTPServer(("", 8080), Handler).serve_forever()
        E
        printf '[Service]\nWorkingDirectory=/srv/www\nExecStart=/usr/bin/python3 /srv/serve.py\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/web.service
        systemctl enable web && systemctl start --no-block web
`

const guestsFront = `
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  vipNetwork: private
  ports:
  - port: 80
    protocol: http
    realServers: {virtualMachineGroupRef: guest, port: 8080}
    monitors: [{protocol: http, endpoint: /version, delay: 2, timeout: 1, retries: 2, maxRetriesDown: 2}]
`

func (g guests) String() string {
	script := "\n        #!/bin/sh\n"
	if g.version != "" {
		script = strings.Replace(serveScript, "VERSION", g.version, 1)
	}
	out := fmt.Sprintf(`
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: guest}
spec:
  replicas: %d
  strategy: {maxUnavailable: 1, %s}
  %s
  probes: [{type: http, port: 8080, path: /version, intervalSeconds: 1, timeoutSeconds: 2, threshold: 2}]
  template:
    image: debian-12-guest
    flavor: m1.nano
    network: private
    initScript:
      value: |%s`, cmp.Or(g.replicas, 3), cmp.Or(g.strategy, "drainSeconds: 0"), g.spec, script)
	if g.front {
		out += guestsFront
	}
	return out
}

// stage is a cloud whose servers are real machines.
type stage struct {
	*kindtest.Target
	t     *testing.T
	cloud *cloud.Client
	wire  *wire
	seeds []uint64
	tasks uint64 // number of calls of lives so far
}

// wire is a transport between agents and the cloud. If an agent is killed, the cloud still finishes its requests.
type wire struct {
	next   http.RoundTripper
	asking sync.WaitGroup
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return w.next.RoundTrip(req)
	}
	type answer struct {
		resp *http.Response
		err  error
	}
	answered := make(chan answer)
	w.asking.Go(func() {
		resp, err := w.next.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
		select {
		case answered <- answer{resp, err}:
		case <-req.Context().Done():
			if err == nil {
				resp.Body.Close()
			}
		}
	})
	select {
	case a := <-answered:
		return a.resp, a.err
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
}

// onGuests returns a cloud whose servers are real machines. Without such a cloud, it skips the test.
func onGuests(t *testing.T) *stage {
	t.Helper()
	if os.Getenv("STACKREEVE_TEST_GUESTS") != "1" {
		t.Skip("real machines: deploy/devcloud/README.md says how, then STACKREEVE_TEST_GUESTS=1")
	}
	s := &stage{Target: kindtest.NewTarget(t, all.Kinds), t: t}
	if s.Simulator != nil {
		t.Skip("the simulator has no real machines")
	}
	s.wire = &wire{}
	s.cloud = s.Client(func(next http.RoundTripper) http.RoundTripper { s.wire.next = next; return s.wire })
	var answer struct{ Images []struct{} }
	if s.get(cloud.Image, "images?name=debian-12-guest", &answer); len(answer.Images) == 0 {
		t.Skip("this cloud has no image debian-12-guest, and so no real machines")
	}
	s.seeds = kindtest.Seeds(t, "1")
	return s
}

func (s *stage) get(service, path string, into any) {
	s.t.Helper()
	if err := s.cloud.Do(s.t.Context(), cloud.Call{Service: service, Path: path, Into: into}); err != nil {
		s.t.Fatal(err)
	}
}

// begin creates a group, and starts a client that uses the given number of its members.
func (s *stage) begin(g guests, members int) *client {
	s.t.Helper()
	s.Only(g.String())
	s.sync(g)
	var behind *cloud.Client
	if g.front {
		behind = s.cloud
	}
	addresses := s.addresses(0, members)
	if behind != nil {
		s.judged(behind, addresses)
	}
	c := watch(s.t, addresses, behind)
	c.all(s.t, g.version)
	return c
}

// judged waits until the monitor of a new load balancer has found that every member answers. Before the monitor's first result, members get
// requests, too, and the first result may be from a time when a member did not answer yet.
func (s *stage) judged(behind *cloud.Client, addresses []string) {
	s.t.Helper()
	kindtest.Await(s.t, kindtest.Patience, 300*time.Millisecond, func() error {
		sends, err := sentTo(s.t.Context(), behind)
		if err != nil {
			s.t.Fatal(err)
		}
		if slices.ContainsFunc(addresses, func(a string) bool { return sends[a] != "ONLINE" }) {
			return fmt.Errorf("a new load balancer sends to its members so: %v", sends)
		}
		return nil
	})
}

// addresses returns the addresses of the members with these numbers. A member's address never changes.
func (s *stage) addresses(from, to int) (out []string) {
	s.t.Helper()
	for i := from; i < to; i++ {
		out = append(out, kindtest.AddressOf(s.t, s.cloud, fmt.Sprint("guest-", i)))
	}
	return out
}

// server returns the ID of a member's server.
func (s *stage) server(member int) string {
	s.t.Helper()
	var answer struct{ Servers []struct{ ID string } }
	if s.get(cloud.Compute, fmt.Sprintf("servers?name=^guest-%d$", member), &answer); len(answer.Servers) != 1 {
		s.t.Fatalf("servers of guest-%d: %v", member, answer)
	}
	return answer.Servers[0].ID
}

// act changes a member's server as other people do. If body is nil, it deletes the server.
func (s *stage) act(member int, body any) {
	s.t.Helper()
	call := cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers/" + s.server(member) + "/action", Body: body}
	if body == nil {
		call.Method, call.Path = http.MethodDelete, "servers/"+s.server(member)
	}
	if err := s.cloud.Do(s.t.Context(), call); err != nil {
		s.t.Fatal(err)
	}
}

// agent starts an agent that probes the machines.
func (s *stage) agent() *engine.Engine {
	e := s.Engine(s.cloud)
	e.Probe = probe.Asker{}.Ask
	return e
}

func (s *stage) revision(g guests) engine.Revision {
	return engine.Revision{Commit: "test", Want: s.Resolve(g.String())}
}

// sync runs a pass of an agent that is not killed.
func (s *stage) sync(g guests) {
	s.t.Helper()
	began := time.Now()
	ctx, stop := context.WithTimeout(s.t.Context(), 10*time.Minute)
	defer stop()
	if pass := s.agent().Sync(ctx, s.revision(g)); pass.Outcome() != plan.InSync {
		s.t.Fatalf("%s: %v", pass.Outcome(), pass.Failures)
	}
	s.t.Logf("in sync after %s", time.Since(began).Round(time.Second))
}

// lives runs one agent after the other, pass after pass, until done returns true. Each agent except the last is killed. The moment depends on the
// seed and the number of earlier calls.
func (s *stage) lives(seed uint64, rev engine.Revision, done func(engine.Pass) bool) {
	s.t.Helper()
	s.tasks++
	began, r := time.Now(), rand.New(rand.NewPCG(seed, s.tasks))
	for deaths := range 5 {
		life := time.Second/2 + time.Duration(r.Int64N(int64(10*time.Second)))
		if deaths == 4 {
			life = 10 * time.Minute
		}
		ctx, die := context.WithTimeout(s.t.Context(), life)
		pass, ended := s.live(ctx, rev, done)
		die()
		s.wire.asking.Wait() // if an agent started while the cloud still creates a server, it would create another one
		if ended {
			s.t.Logf("seed %d: done after %s, %d agents died", seed, time.Since(began).Round(time.Second), deaths)
			return
		}
		if deaths == 4 {
			s.t.Fatalf("seed %d: %s: %v", seed, pass.Outcome(), pass.Failures)
		}
	}
}

// live runs one agent. ended is false if it was killed before done returned true.
func (s *stage) live(ctx context.Context, rev engine.Revision, done func(engine.Pass) bool) (pass engine.Pass, ended bool) {
	for e := s.agent(); ; {
		pass = e.Sync(ctx, rev)
		if ctx.Err() != nil {
			return pass, false
		}
		if done(pass) {
			return pass, true
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond): // a real agent checks for drift every few minutes
		}
	}
}

func inSync(pass engine.Pass) bool { return pass.Outcome() == plan.InSync }

// judge fails the test if, at some moment, more members than mayMiss did not serve.
func (s *stage) judge(c *client, mayMiss int) {
	s.t.Helper()
	if found := outage(c.record(), len(c.addresses), c.fronted, mayMiss); found != "" {
		s.t.Errorf("%s; what was seen:\n%s", found, changes(c.record(), len(c.addresses)))
	}
}

// lost reports whether one member serves nothing and the other members serve the version.
func lost(version string) func(now []string) bool {
	return func(now []string) bool {
		now = slices.Sorted(slices.Values(now))
		return now[0] == "" && now[1] == version && now[len(now)-1] == version
	}
}
