package survey

import (
	"errors"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A plan that was made here says what only the agent knows, if that looked at the same commit and serves the stack itself.
func TestWhatTheAgentSaysOfAPlan(t *testing.T) {
	looked := time.Unix(1, 0)
	for name, c := range map[string]struct {
		word *Word
		want string // why it is held
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
		if got := c.word.Tell(plan.Plan{Commit: "c", Held: "here"}); got.Held != c.want {
			t.Errorf("%s: held for %q, want %q", name, got.Held, c.want)
		}
	}
}
