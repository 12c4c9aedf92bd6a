package virtualmachinegroup_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// If a group went back to an earlier template, it stays there when another agent starts, because the
// metadata of the machine record that.
func TestAnotherAgentLeavesAGroupWhereItWent(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	one := strings.Replace(object, "spec:\n", "spec:\n  strategy: {drainSeconds: 0, progressDeadlineSeconds: 1, onFailure: rollback}\n"+
		"  probes: [{type: http, port: 80, threshold: 1, intervalSeconds: 1}]\n", 1)
	two := strings.Replace(one, "value: ls", "value: sleep", 1)
	g.Only(one)
	c := g.Client(nil)
	served := map[string]bool{} // IDs of servers of the first template
	once := func(manifest string, e *engine.Engine) engine.Pass {
		e.Probe = func(_ context.Context, address string, _ rollout.Probe) error {
			if id := serverAt(t, c, address); len(served) > 0 && !served[id] {
				return errors.New("status 503")
			}
			return nil
		}
		return e.Sync(t.Context(), engine.Revision{Commit: "c", Want: g.Resolve(manifest),
			EarlierCommits: func(_ context.Context, visit func(string, []kind.Desired) bool) error {
				visit("before", g.Resolve(one))
				return nil
			}})
	}
	start := func() *engine.Engine { return g.Engine(g.Client(nil)) }
	if pass := once(one, start()); pass.Outcome() != plan.InSync {
		t.Fatal(pass.Failures)
	}
	for _, name := range []string{"web-0", "web-1"} {
		served[serverNamed(t, c, name)] = true
	}
	e := start()
	if pass := once(two, e); !pass.RollsBack {
		t.Fatalf("it does not go back: %v", pass.Failures)
	}
	clear(served) // from now on, all machines serve
	once(two, e)
	for range 2 {
		pass := once(two, start())
		if len(pass.Results) > 0 || len(pass.Failures) != 1 || !pass.Failures[0].Causes.Is(cause.WentBack) {
			t.Fatalf("%d steps were carried out; %v", len(pass.Results), pass.Failures)
		}
	}
	if pass := once(one, start()); pass.Outcome() != plan.InSync || pass.Drifted() > 0 {
		t.Errorf("undone: %v, %d drifted", pass.Failures, pass.Drifted())
	}
	if pass := once(two, start()); pass.Outcome() != plan.InSync || pass.First.Summary().Replace != 2 {
		t.Errorf("once more: %v, %s", pass.Failures, pass.First.Summary())
	}
}

type serverShown struct {
	ID, Name  string
	Addresses map[string][]struct {
		Addr string `json:"addr"`
	}
}

func shownServers(t *testing.T, c *cloud.Client) []serverShown {
	t.Helper()
	var answer struct{ Servers []serverShown }
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Path: "servers/detail", Into: &answer}); err != nil {
		t.Fatal(err)
	}
	return answer.Servers
}

func serverNamed(t *testing.T, c *cloud.Client, name string) string {
	t.Helper()
	for _, s := range shownServers(t, c) {
		if s.Name == name {
			return s.ID
		}
	}
	return ""
}

func serverAt(t *testing.T, c *cloud.Client, address string) string {
	t.Helper()
	for _, s := range shownServers(t, c) {
		for _, list := range s.Addresses {
			for _, a := range list {
				if a.Addr == address {
					return s.ID
				}
			}
		}
	}
	return ""
}
