package server_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// with is the manifests of a small server with a change-policy.
func with(policy, flavor, image string) string {
	return needs + `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: web, annotations: {stackreeve.dev/change-policy: "` + policy + `"}}
spec: {resource: {ports: [], flavorRef: ` + flavor + `, imageRef: ` + image + `, userData: {secretKeyRef: {name: scripts, key: value}}}}
`
}

// actions is a transport that counts the requested actions. If before is set, it is called with the body of each
// request.
type actions struct {
	count  map[string]int
	before func(next http.RoundTripper, req *http.Request, body string)
	next   http.RoundTripper
}

func (a *actions) wrap(next http.RoundTripper) http.RoundTripper {
	a.next, a.count = next, map[string]int{}
	return a
}

func (a *actions) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(req.URL.Path, "/action") {
		return a.next.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"resize", "confirmResize", "rebuild"} {
		if strings.HasPrefix(string(body), `{"`+name+`"`) {
			a.count[name]++
		}
	}
	if a.before != nil {
		again := req.Clone(req.Context())
		again.Body = io.NopCloser(bytes.NewReader(body))
		a.before(a.next, again, string(body))
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	return a.next.RoundTrip(req)
}

func onSimulator(t *testing.T, options simulator.Options) *kindtest.Target {
	g := kindtest.NewTargetOn(t, kinds, &options)
	if g.Simulator == nil {
		t.Skip("for the simulator alone")
	}
	return g
}

func webOf(t *testing.T, p plan.Plan) plan.Step {
	t.Helper()
	for _, s := range p.Steps {
		if s.Key == key {
			return s
		}
	}
	t.Fatal("the plan has no step for the server")
	return plan.Step{}
}

func failures(pass engine.Pass) string {
	var out []string
	for _, f := range pass.Failures {
		out = append(out, f.Reason())
	}
	return strings.Join(out, "; ")
}

// A resize takes time, and so does its confirmation.
func TestResizeTakesItsTime(t *testing.T) {
	g := onSimulator(t, simulator.Options{BuildDelay: 100 * time.Millisecond})
	g.MustSync(with("flavorRef=resize", "small", "os"))
	var a actions
	pass := g.SyncThrough(with("flavorRef=resize", "tiny", "os"), a.wrap)
	if pass.Outcome() != plan.InSync || a.count["resize"] != 1 || a.count["confirmResize"] < 1 {
		t.Errorf("%s: %v; asked for %v", pass.Outcome(), pass.Failures, a.count)
	}
	if s := webOf(t, pass.First); s.Action != plan.Update || s.Disruption() != kind.Reboot {
		t.Errorf("planned: %s, %s", s.Action, s.Disruption())
	}
}

// If no host has room, Nova leaves the server unchanged, and none of its attributes says why.
func TestAResizeThatFailsIsReportedAndTriedInTheNextPass(t *testing.T) {
	g := onSimulator(t, simulator.Options{})
	g.MustSync(with("flavorRef=resize", "small", "os"))
	for range 2 {
		g.Simulator.Do(func() { g.Simulator.Nova.FailNextTask("resize", "No valid host was found.") })
		var a actions
		pass := g.SyncThrough(with("flavorRef=resize", "tiny", "os"), a.wrap)
		if !strings.Contains(failures(pass), " spec.resource.flavorRef by resize, ") || a.count["resize"] != 1 {
			t.Errorf("%s: %s; asked for %v", pass.Outcome(), failures(pass), a.count)
		}
	}
	g.MustSync(with("flavorRef=resize", "tiny", "os"))
}

// The cloud may confirm a resize itself at the moment when the agent wants to confirm it. Then the resize is
// already confirmed, or the confirmation has not finished yet.
func TestResizeThatTheCloudConfirmsItself(t *testing.T) {
	for name, delay := range map[string]time.Duration{"done": 0, "not yet done": 300 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			g := onSimulator(t, simulator.Options{BuildDelay: delay})
			g.MustSync(with("flavorRef=resize", "small", "os"))
			a := actions{before: func(next http.RoundTripper, req *http.Request, body string) {
				if strings.Contains(body, "confirmResize") {
					if resp, err := next.RoundTrip(req); err == nil {
						_ = resp.Body.Close()
					}
				}
			}}
			if pass := g.SyncThrough(with("flavorRef=resize", "tiny", "os"), a.wrap); pass.Outcome() != plan.InSync {
				t.Errorf("%s: %s", pass.Outcome(), failures(pass))
			}
		})
	}
}

// If somebody else has begun a resize, the agent confirms it only if the manifest's policy is resize.
func TestWhoseResizeIsConfirmed(t *testing.T) {
	for policy, want := range map[string]bool{"flavorRef=resize": true, "flavorRef=replace": false} {
		t.Run(policy, func(t *testing.T) {
			g := onSimulator(t, simulator.Options{})
			act(t, g, webOf(t, g.MustSync(with(policy, "small", "os")).Last).ID(), "resize", map[string]any{"flavorRef": "m1-tiny"})
			step := webOf(t, g.Plan(with(policy, "tiny", "os")))
			for step.Action == plan.Wait {
				step = webOf(t, g.Plan(with(policy, "tiny", "os")))
			}
			confirms := false
			for _, c := range step.Changes {
				confirms = confirms || c.Way == "confirm"
			}
			if confirms != want || !strings.Contains(step.Have.Message, "confirm or revert its resize") {
				t.Errorf("%s: %s; confirms: %v", step.Action, step.Have.Message, confirms)
			}
			g.MustSync(with("flavorRef=resize", "tiny", "os"))
		})
	}
}

// A resize to another flavor than the manifest's is not confirmed, so it can be reverted. Until then, nothing is
// written.
func TestResizeToAnotherFlavorIsNotConfirmed(t *testing.T) {
	const policy = "flavorRef=resize"
	g := onSimulator(t, simulator.Options{})
	id := webOf(t, g.MustSync(with(policy, "small", "os")).Last).ID()
	act(t, g, id, "resize", map[string]any{"flavorRef": "m1-tiny"})
	for webOf(t, g.Plan(with(policy, "small", "os"))).Action == plan.Wait {
		continue
	}
	var a actions
	pass := g.SyncThrough(with(policy, "small", "os"), a.wrap)
	if pass.Outcome() == plan.InSync || a.count["confirmResize"] > 0 || a.count["resize"] > 0 {
		t.Errorf("%s, asked for %v", pass.Outcome(), a.count)
	}
	act(t, g, id, "revertResize", nil)
	g.MustSync(with(policy, "small", "os"))
}

// If flavor and image change in one commit, the agent changes one after the other, in one pass.
func TestResizeAndRebuildTogether(t *testing.T) {
	g := onSimulator(t, simulator.Options{BuildDelay: 20 * time.Millisecond})
	const policy = "flavor=resize,image=rebuild"
	before := webOf(t, g.MustSync(with(policy, "small", "os")).Last).ID()
	var a actions
	pass := g.SyncThrough(with(policy, "tiny", "other-os"), a.wrap)
	if pass.Outcome() != plan.InSync || a.count["resize"] != 1 || a.count["rebuild"] != 1 || webOf(t, pass.Last).ID() != before {
		t.Errorf("%s: %s; asked for %v", pass.Outcome(), failures(pass), a.count)
	}
}

// A rebuild destroys the data on the local disk. The plan says so, and the brake counts it.
func TestRebuildIsALoss(t *testing.T) {
	g := onSimulator(t, simulator.Options{})
	g.MustSync(with("imageRef=rebuild", "small", "os"))
	p := g.Plan(with("imageRef=rebuild", "small", "other-os"))
	s := webOf(t, p)
	if d, harms := s.Harm(); !harms || d != kind.Rebuild || strings.Join(s.Loss, ";") != "its local disk" {
		t.Errorf("harm %s %v, loses %v", d, harms, s.Loss)
	}
	none, err := guard.ParseLimit("0")
	if err != nil {
		t.Fatal(err)
	}
	if held := p.Apply(guard.Brake(guard.Limits{All: none}, nil)).Held; !strings.Contains(held.String(), "the plan would wipe 1 of the") {
		t.Errorf("held: %q", held)
	}
}

// If a rebuild fails, the server is in ERROR. The agent reports that, and does not repeat the rebuild.
func TestARebuildThatFails(t *testing.T) {
	g := onSimulator(t, simulator.Options{})
	g.MustSync(with("imageRef=rebuild", "small", "os"))
	g.Simulator.Do(func() { g.Simulator.Nova.FailNextTask("rebuild", "no space left on device") })
	var a actions
	pass := g.SyncThrough(with("imageRef=rebuild", "small", "other-os"), a.wrap)
	if s := webOf(t, pass.Last); !strings.Contains(s.FullCause(), "no space left on device") || a.count["rebuild"] != 1 {
		t.Errorf("%s %s; asked for %v", s.Action, s.FullCause(), a.count)
	}
	// A change to another image is a new attempt, because Nova also rebuilds servers in ERROR.
	g.MustSync(with("imageRef=rebuild", "small", "os"))
	if s := webOf(t, g.Plan(with("imageRef=rebuild", "small", "os"))); s.FullCause() != "" {
		t.Errorf("after another rebuild: %s", s.FullCause())
	}
}

// In states such as PAUSED, Nova always refuses a resize with 409, so the agent reports the failure without a retry.
func TestAServerThatIsPausedIsNotResized(t *testing.T) {
	g := onSimulator(t, simulator.Options{})
	id := webOf(t, g.MustSync(with("flavorRef=resize", "small", "os")).Last).ID()
	act(t, g, id, "pause", nil)
	started := time.Now()
	pass := g.Sync(with("flavorRef=resize", "tiny", "os"))
	if !strings.Contains(strings.ToLower(failures(pass)), "paused") || time.Since(started) > time.Minute {
		t.Errorf("%s: %s", pass.Outcome(), failures(pass))
	}
	act(t, g, id, "unpause", nil)
}

// While a server is shelved, Nova writes no metadata, and so no mark. Therefore the agent reports the failure
// without a retry, and writes nothing.
func TestAServerThatIsShelvedIsNotChanged(t *testing.T) {
	g := onSimulator(t, simulator.Options{})
	before := with("", "small", "os")
	after := strings.Replace(before, "ports: []", "ports: [], name: web-2, tags: [new]", 1)
	id := webOf(t, g.MustSync(before).Last).ID()
	act(t, g, id, "shelve", nil)
	awaitStatus(t, g, before, "is SHELVED_OFFLOADED")
	pass := impatiently(t, g, after)
	if !strings.Contains(failures(pass), "a server that is SHELVED_OFFLOADED; first bring the server to ACTIVE or SHUTOFF") {
		t.Errorf("%s: %s", pass.Outcome(), failures(pass))
	}
	if s := webOf(t, g.Plan(after)); !kind.Has(s.Changes, "spec.resource.name") || !kind.Has(s.Changes, "spec.resource.tags") {
		t.Errorf("left to do: %v; want name and tags", s.Changes)
	}
	act(t, g, id, "unshelve", nil)
	awaitStatus(t, g, after, "")
	g.MustSync(after)
}

// impatiently runs a pass that waits only a moment for busy objects.
func impatiently(t *testing.T, g *kindtest.Target, manifests string) engine.Pass {
	t.Helper()
	e := g.Engine(g.Client(nil))
	e.Timing.BusyWait = 100 * time.Millisecond
	return e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(manifests)})
}

// awaitStatus plans until the plan shows this message about the server.
func awaitStatus(t *testing.T, g *kindtest.Target, manifests, message string) {
	t.Helper()
	for range 1000 {
		if webOf(t, g.Plan(manifests)).Have.Message == message {
			return
		}
	}
	t.Fatalf("the server never says %q", message)
}

// act asks Nova for an action, as another person does.
func act(t *testing.T, g *kindtest.Target, id, action string, body any, version ...string) {
	t.Helper()
	err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers/" + id + "/action", Body: map[string]any{action: body}, Microversion: strings.Join(version, "")})
	if err != nil {
		t.Fatal(err)
	}
}

// If a server was stopped before its resize, it is stopped after the resize, too.
func TestResizeOfAStoppedServer(t *testing.T) {
	g := onSimulator(t, simulator.Options{})
	act(t, g, webOf(t, g.MustSync(with("flavorRef=resize", "small", "os")).Last).ID(), "os-stop", nil)
	if pass := g.MustSync(with("flavorRef=resize", "tiny", "os")); webOf(t, pass.Last).Have.Message != "is SHUTOFF" {
		t.Errorf("the server is %q", webOf(t, pass.Last).Have.Message)
	}
}

// While the user data are ignored, the stored fingerprint is not changed. Once they are no longer ignored, the
// plan shows the difference.
func TestUserDataIsIgnored(t *testing.T) {
	g := onSimulator(t, simulator.Options{})
	g.MustSync(with("userData=ignore", "small", "os"))
	other := func(policy string) string {
		return strings.Replace(with(policy, "small", "os"), "key: value}}", "key: other}}", 1)
	}
	pass := g.MustSync(other("userData=ignore"))
	if s := webOf(t, pass.First); s.Action != plan.Update || len(s.Ignored) != 1 || s.Disruption() != kind.InPlace {
		t.Errorf("%s, ignored %v", s.Action, s.Ignored)
	}
	if s := webOf(t, g.Plan(other("userData=rebuild"))); s.Disruption() != kind.Rebuild {
		t.Errorf("not ignored any more: %s %s", s.Action, s.Disruption())
	}
}
