package virtualmachinegroup_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func healing(heal string) string {
	return strings.Replace(object, "spec:\n", "spec:\n  heal: {afterSeconds: 0, "+heal+"}\n  probes: [{type: http, port: 80, threshold: 1}]\n", 1)
}

// novaStatus waits until Nova's status of a server is the wanted one, or the test ends. It returns the last status.
func novaStatus(t *testing.T, c *cloud.Client, id, want string) (now string) {
	t.Helper()
	for t.Context().Err() == nil && now != want {
		var answer struct{ Server struct{ Status string } }
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Path: "servers/" + id, Into: &answer}); err != nil {
			t.Fatal(err)
		}
		if now = answer.Server.Status; now != want {
			<-time.After(20 * time.Millisecond)
		}
	}
	return now
}

// If somebody switches a machine off, the agent starts it. If a machine does not answer, the agent reboots or rebuilds it. The
// machine keeps its ID, and no other machine is changed.
func TestMachinesAreHealed(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := kindtest.NewTarget(t, all.Kinds)
	c := g.Client(nil)
	g.Only(healing(""))
	// once runs a pass of a newly started agent. silent is the number of probes that are not answered, unless deaf is set.
	var deaf string // the only address that does not answer; "" if the first probes of a pass are not answered
	once := func(manifest string, silent int) engine.Pass {
		e := g.Engine(g.Client(nil))
		var asked atomic.Int32
		e.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
			if deaf == "" && int(asked.Add(1)) <= silent || deaf == address {
				return errors.New("connection refused")
			}
			return nil
		}
		pass := e.Sync(t.Context(), engine.Revision{Commit: "c", Want: g.Resolve(manifest)})
		if len(pass.Failures) > 0 {
			t.Fatal(pass.Failures)
		}
		return pass
	}
	first := once(healing(""), 0).Last
	ids := ids(first)
	healed := func(pass engine.Pass, cost kind.Disruption, reason string) {
		t.Helper()
		if len(pass.Results) != 1 {
			t.Fatalf("%d steps were carried out", len(pass.Results))
		}
		s := pass.Results[0].Step
		if s.Disruption() != cost || !strings.Contains(s.FullCause(), reason) || s.Action != plan.Update || pass.Drifted() != 1 {
			t.Errorf("%s %s, %s: %s", s.Action, s.Key, s.Disruption(), s.FullCause())
		}
		if now := novaStatus(t, c, s.ID(), "ACTIVE"); now != "ACTIVE" || ids[s.Key.String()] != s.ID() {
			t.Errorf("%s is %s and was %s; it is %s", s.Key, s.ID(), ids[s.Key.String()], now)
		}
	}
	id := ids["Server/web-0"]
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers/" + id + "/action", Body: map[string]any{"os-stop": nil}}); err != nil {
		t.Fatal(err)
	}
	novaStatus(t, c, id, "SHUTOFF")
	if left := once(healing("stopped: leave"), 0); len(left.Results) > 0 {
		t.Errorf("what is to be left is not: %v", left.Results)
	}
	for _, m := range first.Probed() {
		if m.Member.Name == "web-0" {
			deaf = m.Address
		}
	}
	// The stopped machine does not answer its probes either. If the manifest says leave, it is nevertheless not changed, and its disk
	// is not wiped.
	if left := once(healing("stopped: leave, unresponsive: rebuild"), 1); len(left.Results) > 0 {
		t.Errorf("what is to be left is not: %v", left.Results[0].Step.FullCause())
	}
	healed(once(healing("unresponsive: rebuild"), 1), kind.Reboot, " stopped ")
	deaf = ""
	healed(once(healing(""), 1), kind.Reboot, "http :80/: connection refused")
	healed(once(healing("unresponsive: rebuild"), 1), kind.Rebuild, "http :80/: connection refused")
	if both := once(healing(""), 2); len(both.Results) > 0 {
		t.Errorf("when all are silent %d are healed", len(both.Results))
	}
}

// A missing reference is reported once, at the manifest that contains it, and not for each machine that inherits it.
func TestAMissingReferenceIsNamedOnce(t *testing.T) {
	g := pure(t)
	_, err := g.TryResolve(strings.Replace(object, "{value: ls}", "{value: ls, template: true, secretRefs: [nope]}", 1))
	if said := fmt.Sprint(err); strings.Count(said, "Secret/nope") != 1 || !strings.Contains(said, "VirtualMachineGroup/web: spec.template.initScript.secretRefs[0]: refers to Secret/nope") {
		t.Errorf("it says %s", said)
	}
}

func TestRefusedHealing(t *testing.T) {
	g := pure(t)
	g.Refuses(map[string]string{
		"maxSick: 0":            "spec.heal.maxSick",
		"maxSick: many":         "spec.heal.maxSick",
		"unresponsive: rebuild": "spec.heal.unresponsive",
		"stopped: rebuild":      "spec.heal.stopped",
	}, func(change string) string {
		return strings.Replace(object, "spec:\n", "spec:\n  heal: {"+change+"}\n", 1)
	})
}

// With OnDelete, a machine can have an older template than the manifest. Then the agent rebuilds the machine with its own template,
// and not with a part of the new one.
func TestAMachineThatIsLeftIsRebuiltAsItWas(t *testing.T) {
	g := pure(t)
	old := strings.Replace(healing("unresponsive: rebuild"), "spec:\n", "spec:\n  strategy: {type: OnDelete}\n", 1)
	g.Only(old)
	silent := ""
	once := func(manifest string) engine.Pass {
		e := g.Engine(g.Client(nil))
		e.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
			if address == silent {
				return errors.New("connection refused")
			}
			return nil
		}
		pass := e.Sync(t.Context(), engine.Revision{Commit: "c", Want: g.Resolve(manifest)})
		if len(pass.Failures) > 0 {
			t.Fatal(pass.Failures)
		}
		return pass
	}
	silent = once(old).Last.Probed()[0].Address
	pass := once(strings.NewReplacer("centos79", "cirros", "value: ls", "value: sleep").Replace(old))
	if len(pass.Results) != 1 || pass.Results[0].Step.Disruption() != kind.Rebuild {
		t.Fatalf("it is not rebuilt: %v", pass.Results)
	}
	if again := g.Plan(strings.Replace(old, "type: OnDelete", "drainSeconds: 0", 1)); !again.InSync() {
		t.Errorf("then, for what it was, the plan is %s", again.Summary())
	}
}
