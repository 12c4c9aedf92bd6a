package virtualmachinegroup_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// rolling returns a cloud with a group of five machines. The manifest after replaces them one by one.
func rolling(t *testing.T) (g *kindtest.Target, before, after string) {
	t.Helper()
	later := &atomic.Int64{}
	g = kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{Now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }})
	before = strings.Replace(object, "replicas: 2", "replicas: 5", 1)
	after = strings.Replace(before, "value: ls", "value: sleep", 1)
	g.Only(before)
	g.MustSync(before)
	later.Store(int64(time.Minute)) // the replacements must be at least a second younger, because Nova shows creation times in seconds
	return g, before, after
}

// held returns an agent in whose passes at most one object may be destroyed without an approval. It has no state folder and no forge.
func held(t *testing.T, g *kindtest.Target, wrap func(http.RoundTripper) http.RoundTripper) *engine.Engine {
	t.Helper()
	e := g.Engine(g.Client(wrap))
	e.Limits = guard.Limits{All: guard.Limit{Count: 1}, DataLoss: true}
	return e
}

// dies is a transport that kills the agent when it wants to delete a machine after the given number of deletions.
type dies struct {
	next  http.RoundTripper
	after *atomic.Int64
	die   context.CancelFunc
}

func (d dies) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Method == http.MethodDelete && strings.Contains(q.URL.Path, "/servers/") && d.after.Add(-1) < 0 {
		d.die()
	}
	if err := q.Context().Err(); err != nil {
		return nil, err
	}
	return d.next.RoundTrip(q)
}

// approved carries out an approved plan with an agent that is killed after the given number of machines.
func approved(t *testing.T, g *kindtest.Target, after string, machines int64) {
	t.Helper()
	want := g.Resolve(after)
	first := held(t, g, nil).Preview(t.Context(), "c", want, nil)
	if first.Held == nil {
		t.Fatal("the plan is not held")
	}
	ctx, die := context.WithCancel(t.Context())
	defer die()
	left := &atomic.Int64{}
	left.Store(machines)
	e := held(t, g, func(next http.RoundTripper) http.RoundTripper { return dies{next, left, die} })
	e.Sync(ctx, engine.Revision{Commit: "c", Want: want, Approved: []plan.Approval{{Hash: first.Hash(), By: "Ann", Commit: "c", Proof: first.Proof()}}})
	if n := held(t, g, nil).Preview(t.Context(), "c", want, nil).Summary().Replace; n == 0 || n == 5 {
		t.Fatalf("%d machines are left", n)
	}
}

// If the agent is killed during an approved rollout, another agent continues it.
func TestAnApprovedRolloutGoesOnAfterARestart(t *testing.T) {
	g, _, after := rolling(t)
	approved(t, g, after, 2)
	pass := held(t, g, nil).Sync(t.Context(), engine.Revision{Commit: "c", Want: g.Resolve(after)})
	if pass.First.Held != nil || pass.Outcome() != plan.InSync {
		t.Errorf("%s: held: %q, %v", pass.Outcome(), pass.First.Held, pass.Failures)
	}
}

// target returns the checksum of the approved target from a machine's metadata.
func target(t *testing.T, c *cloud.Client, id string) string {
	t.Helper()
	var answer struct {
		Metadata map[string]string `json:"metadata"`
	}
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Path: "servers/" + id + "/metadata", Into: &answer}); err != nil {
		t.Fatal(err)
	}
	if answer.Metadata[mark.TargetKey] == "" {
		t.Fatalf("%s has no sum", id)
	}
	return answer.Metadata[mark.TargetKey]
}

func writeTarget(t *testing.T, c *cloud.Client, id, sum string) {
	t.Helper()
	body := map[string]any{"metadata": map[string]string{mark.TargetKey: sum}}
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers/" + id + "/metadata", Body: body}); err != nil {
		t.Fatal(err)
	}
}

// An approval in the metadata of machines covers nothing else. Another commit is held. The plan is also held if the metadata name another target or are on other
// machines, or if a change was made without an approval.
func TestWhatAMachineSaysApprovesOfNothingElse(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	for name, c := range map[string]struct {
		commit func(after string) string
		alter  func(t *testing.T, g *kindtest.Target, c *cloud.Client, machines map[string]string)
	}{
		"another commit":   {commit: func(after string) string { return strings.Replace(after, "value: sleep", "value: pwd", 1) }},
		"one more machine": {commit: func(after string) string { return strings.Replace(after, "replicas: 5", "replicas: 6", 1) }},
		"a sum that is another's": {alter: func(t *testing.T, g *kindtest.Target, c *cloud.Client, machines map[string]string) {
			writeTarget(t, c, machines["web-0"], strings.Repeat("0", 64))
			writeTarget(t, c, machines["web-1"], strings.Repeat("0", 64))
		}},
		"before the machine's change": {alter: func(t *testing.T, g *kindtest.Target, c *cloud.Client, machines map[string]string) {
			sum := target(t, c, machines["web-0"])
			writeTarget(t, c, machines["web-0"], "")
			writeTarget(t, c, machines["web-1"], "")
			writeTarget(t, c, machines["web-4"], sum)
		}},
		"on a machine of nobody": {alter: func(t *testing.T, g *kindtest.Target, c *cloud.Client, machines map[string]string) {
			sum := target(t, c, machines["web-0"])
			writeTarget(t, c, machines["web-0"], "")
			writeTarget(t, c, machines["web-1"], "")
			theirs := *g
			theirs.Stack += "-theirs"
			theirs.Sync(strings.Replace(with(1, ""), "name: web", "name: theirs", 1))
			writeTarget(t, c, serverNamed(t, c, "theirs-0"), sum)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g, _, after := rolling(t)
			approved(t, g, after, 2)
			if c.alter != nil {
				client, machines := g.Client(nil), map[string]string{}
				for _, s := range shownServers(t, client) {
					machines[s.Name] = s.ID
				}
				c.alter(t, g, client, machines)
			}
			if c.commit != nil {
				after = c.commit(after)
			}
			pass := held(t, g, nil).Sync(t.Context(), engine.Revision{Commit: "c", Want: g.Resolve(after)})
			if pass.First.Held == nil || pass.First.Summary().Writes() > 0 && len(pass.Results) > 0 {
				t.Errorf("held: %q, %d steps", pass.First.Held, len(pass.Results))
			}
		})
	}
}
