package survey

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// A plan gets the facts that only the agent knows, if the agent itself serves the stack and has compared the
// same commit.
func TestWhatTheAgentSaysOfAPlan(t *testing.T) {
	looked := time.Unix(1, 0)
	for name, c := range map[string]struct {
		word *Word
		want string // the reason why the plan is held
	}{
		"nobody is asked":            {nil, "here"},
		"no answer":                  {&Word{err: errors.New("away"), state: agent.State{Looked: looked, Commit: "c", Held: "there"}}, "here"},
		"no pass has ended":          {&Word{state: agent.State{Commit: "c", Held: "there"}}, "here"},
		"another agent serves it":    {&Word{state: agent.State{Looked: looked, Commit: "c", Held: "there", ServedBy: "b"}}, "here"},
		"it looked at other commits": {&Word{state: agent.State{Looked: looked, Commit: "b", Held: "there"}}, "here"},
		"it holds the plan":          {&Word{state: agent.State{Looked: looked, Commit: "c", Held: "there"}}, "there"},
		"it holds nothing":           {&Word{state: agent.State{Looked: looked, Commit: "c"}}, ""},
		"it was approved":            {&Word{state: agent.State{Looked: looked, Commit: "c", Held: "there", Approved: "hash"}}, ""},
	} {
		if got := c.word.Tell(plan.Plan{Commit: "c", Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "here")}}}); got.Held.String() != c.want {
			t.Errorf("%s: held for %q, want %q", name, got.Held, c.want)
		}
	}
}

// Failures are assigned to objects that differ from Git, by the names of the objects in the agent's report.
func TestWhatTheAgentSaysOfSteps(t *testing.T) {
	key := func(name string) manifest.Key { return manifest.Key{Kind: "Thing", Name: name} }
	p := plan.Plan{Commit: "c", Steps: []plan.Step{{Key: key("a"), Action: plan.Create}, {Key: key("b"), Action: plan.Keep}, {Key: key("c"), Action: plan.Create}}}
	failures := []agent.Failed{{Object: key("a").String(), Reason: "403", Fault: status.ReasonForbidden}, {Object: key("b").String(), Reason: "403", Fault: status.ReasonForbidden},
		{Object: key("c").String(), Reason: "waits for Thing/a"}, {Object: key("d").String(), Reason: "403", Fault: status.ReasonForbidden}}
	state := agent.State{Looked: time.Unix(1, 0), Commit: "c", Failures: failures}
	got, want := (&Word{state: state}).Faults(p), map[manifest.Key]status.Fault{key("a"): {Text: "403", Reason: status.ReasonForbidden}}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	state.Commit = "b"
	if got := (&Word{state: state}).Faults(p); len(got) > 0 {
		t.Errorf("of another commit: %v", got)
	}
}
