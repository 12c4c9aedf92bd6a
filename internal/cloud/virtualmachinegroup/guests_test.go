package virtualmachinegroup_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
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

// serving is a group of real machines whose web servers answer with the version.
func serving(version string) string {
	return group(`mkdir -p /srv/www && cd /srv/www && echo ` + version + ` >version && setsid python3 -m http.server 8080 >/dev/null 2>&1 &`)
}

func group(script string) string {
	return `
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: guest}
spec:
  replicas: 3
  strategy: {maxUnavailable: 1, drainSeconds: 0}
  probes: [{type: http, port: 8080, path: /version, intervalSeconds: 1, timeoutSeconds: 2, threshold: 2}]
  template:
    image: debian-12-guest
    flavor: m1.nano
    network: private
    initScript: {value: "#!/bin/sh\n` + script + `\n"}
`
}

// onGuests is a cloud whose servers are real machines, or the end of the test.
func onGuests(t *testing.T) *kindtest.Target {
	t.Helper()
	if os.Getenv("STACKREEVE_TEST_GUESTS") != "1" {
		t.Skip("real machines: deploy/devcloud/README.md says how, then STACKREEVE_TEST_GUESTS=1")
	}
	g := kindtest.NewTarget(t, all.Kinds)
	var answer struct{ Images []struct{} }
	if g.Simulator == nil {
		if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.Image, Path: "images?name=debian-12-guest", Into: &answer}); err != nil {
			t.Fatal(err)
		}
	}
	if len(answer.Images) == 0 {
		t.Skip("this cloud has no image debian-12-guest, and so no real machines")
	}
	return g
}

// sighting is what a member served when it was asked: "" is nothing.
type sighting struct {
	at      time.Duration
	member  int
	version string
}

// client asks every member, again and again, which version it serves.
type client struct {
	http  http.Client
	began time.Time

	mu   sync.Mutex
	seen []sighting
}

// watch begins to ask the members at these addresses, until the test ends.
func watch(t *testing.T, addresses []string) *client {
	c := &client{began: time.Now(), http: http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var asking sync.WaitGroup
	for i, address := range addresses {
		asking.Go(func() {
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for ctx.Err() == nil {
				at := time.Since(c.began)
				if version := c.ask(ctx, address); ctx.Err() == nil {
					c.mu.Lock()
					c.seen = append(c.seen, sighting{at, i, version})
					c.mu.Unlock()
				}
				<-tick.C
			}
		})
	}
	t.Cleanup(func() { stop(); asking.Wait() })
	return c
}

func (c *client) ask(ctx context.Context, address string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+":8080/version", nil)
	if err != nil {
		return ""
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 100))
	if err != nil || resp.StatusCode != http.StatusOK {
		return ""
	}
	return strings.TrimSpace(string(body))
}

// record is what was seen, in the order in which it was asked.
func (c *client) record() []sighting {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedStableFunc(slices.Values(c.seen), func(a, b sighting) int { return cmp.Compare(a.at, b.at) })
}

// now is what each member served when it was asked last.
func (c *client) now() (versions [3]string) {
	for _, s := range c.record() {
		versions[s.member] = s.version
	}
	return versions
}

// await waits until the members serve so, and is false when they do not in time.
func (c *client) await(want func([3]string) bool) bool {
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if want(c.now()) {
			return true
		}
	}
	return false
}

func everyone(version string) func([3]string) bool {
	return func(now [3]string) bool { return now == [3]string{version, version, version} }
}

// fewest is how few served at any moment after all did for the first time, and when.
func fewest(record []sighting) (low int, when time.Duration) {
	now, all := [3]string{}, false
	low = len(now)
	for _, s := range record {
		now[s.member] = s.version
		serve := 0
		for _, v := range now {
			if v != "" {
				serve++
			}
		}
		if all = all || serve == len(now); all && serve < low {
			low, when = serve, s.at
		}
	}
	return low, when
}

// What a client saw is judged from the moment on when all served.
func TestFewest(t *testing.T) {
	for _, c := range []struct {
		seen string // one member after the other: - where it did not serve
		low  int
	}{
		{"012", 3}, {"01-012", 3}, {"012-12012", 2}, {"012-1-", 1}, {"0120-20122", 2}, {"---", 3},
	} {
		var record []sighting
		for i, r := range c.seen {
			s := sighting{at: time.Duration(i) * time.Second, member: i % 3}
			if r != '-' {
				s.version = "one"
			}
			record = append(record, s)
		}
		if low, _ := fewest(record); low != c.low {
			t.Errorf("%s: %d served, want %d", c.seen, low, c.low)
		}
	}
}

// agent is a newly started one, which asks the machines.
func agent(g *kindtest.Target) *engine.Engine {
	e := g.Engine(g.Client(nil))
	e.Probe = probe.Asker{}.Ask
	return e
}

// addresses are those of the group's members; they keep them.
func addresses(t *testing.T, g *kindtest.Target) (out []string) {
	t.Helper()
	for i := range 3 {
		var answer struct {
			Ports []struct {
				IPs []struct {
					Address string `json:"ip_address"`
				} `json:"fixed_ips"`
			}
		}
		call := cloud.Call{Service: cloud.Network, Path: fmt.Sprintf("ports?name=guest-%d", i), Into: &answer}
		if err := g.Client(nil).Do(t.Context(), call); err != nil || len(answer.Ports) != 1 || len(answer.Ports[0].IPs) != 1 {
			t.Fatalf("ports of guest-%d: %v, %v", i, answer, err)
		}
		out = append(out, answer.Ports[0].IPs[0].Address)
	}
	return out
}

// A group of real machines is changed while somebody uses it: all three serve before and after, and two of them at every moment
// in between, whether the change works, does not, or is made by agents that are killed.
func TestARolloutOnRealMachines(t *testing.T) {
	g := onGuests(t)
	g.Only(serving("one"))
	sync := func(manifests string) {
		t.Helper()
		began := time.Now()
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
		defer stop()
		pass := agent(g).Sync(ctx, engine.Revision{Commit: "test", Want: g.Resolve(manifests)})
		if pass.Outcome() != plan.InSync {
			t.Fatalf("%s: %v", pass.Outcome(), pass.Failures)
		}
		t.Logf("in sync after %s", time.Since(began).Round(time.Second))
	}
	sync(serving("one"))
	c := watch(t, addresses(t, g))
	serve := func(version string) {
		t.Helper()
		if !c.await(everyone(version)) {
			t.Fatalf("in the end they serve %q, want %s", c.now(), version)
		}
	}
	serve("one")
	sync(serving("two"))
	serve("two")

	broken(t, g, c)
	sync(serving("one"))
	serve("one")

	seeds, err := strconv.Atoi(cmp.Or(os.Getenv("STACKREEVE_TEST_SEEDS"), "1"))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range seeds {
		version := []string{"two", "one"}[seed%2]
		killed(t, g, serving(version), uint64(seed+1))
		serve(version)
	}
	record := c.record()
	if low, when := fewest(record); low < 2 {
		t.Errorf("after %s only %d served", when.Round(100*time.Millisecond), low)
	}
	if *update {
		if err := os.WriteFile("../../../docs/groups-rollout.svg", timeline(record), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// broken has an agent at work on a template that does not serve: one machine is lost to it, the others stay as they are.
func broken(t *testing.T, g *kindtest.Target, c *client) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan engine.Pass)
	go func() {
		done <- agent(g).Sync(ctx, engine.Revision{Commit: "test", Want: g.Resolve(group("true"))})
	}()
	lost := func(now [3]string) bool {
		slices.Sort(now[:])
		return now == [3]string{"", "two", "two"}
	}
	if !c.await(lost) {
		t.Errorf("the broken template leaves %q", c.now())
	}
	// Long enough for a good machine to be back, and for the next one to go.
	since := time.Now()
	if !c.await(func(now [3]string) bool { return time.Since(since) > 20*time.Second || !lost(now) }) || !lost(c.now()) {
		t.Errorf("the broken template leaves %q after a while", c.now())
	}
	stop()
	if pass := <-done; pass.Outcome() == plan.InSync {
		t.Error("the broken template is in sync")
	}
}

// killed has one agent after the other carry out the manifests; each but the last dies at a moment that follows from the seed.
func killed(t *testing.T, g *kindtest.Target, manifests string, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	want := g.Resolve(manifests)
	for deaths := range 20 {
		life := 2*time.Second + time.Duration(r.Int64N(int64(12*time.Second)))
		if deaths >= 4 {
			life = 10 * time.Minute
		}
		ctx, die := context.WithTimeout(t.Context(), life)
		pass := agent(g).Sync(ctx, engine.Revision{Commit: "test", Want: want})
		died := ctx.Err() != nil
		die()
		if !died && pass.Outcome() != plan.InSync {
			t.Fatalf("seed %d: %s: %v", seed, pass.Outcome(), pass.Failures)
		}
		if !died {
			t.Logf("seed %d: %d agents died", seed, deaths)
			return
		}
	}
}

// timeline draws the record: a row a member, a colour a version, time below.
func timeline(record []sighting) []byte {
	const left, width, row = 70.0, 860.0, 26
	end := record[len(record)-1].at
	x := func(at time.Duration) float64 { return left + width*at.Seconds()/end.Seconds() }
	colour := map[string]string{"one": "#2e9e4f", "two": "#2f6fd0"}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 150" font-family="sans-serif" font-size="13">`+"\n"+`<rect width="960" height="150" fill="#fff"/>`+"\n")
	for member := range 3 {
		y := 10 + member*(row+6)
		fmt.Fprintf(&b, `<text x="8" y="%d">guest-%d</text>`+"\n", y+row-8, member)
		var from sighting
		bar := func(to time.Duration) {
			if from.version != "" {
				fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x(from.at), y, x(to)-x(from.at), row, colour[from.version])
			}
		}
		for _, s := range record {
			if s.member == member && s.version != from.version {
				bar(s.at)
				from = s
			}
		}
		bar(end)
	}
	for at := time.Duration(0); at <= end; at += 30 * time.Second {
		fmt.Fprintf(&b, `<text x="%.1f" y="118" text-anchor="middle">%d s</text>`+"\n", x(at), int(at.Seconds()))
	}
	fmt.Fprintf(&b, `<text x="70" y="142">green: serves version one; blue: version two; blank: neither</text>`+"\n</svg>\n")
	return []byte(b.String())
}
