package survey

import (
	"cmp"
	"context"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Asker reads information from the agent that serves a stack. Some of it, such as approvals and failures, is
// known only to the agent, and neither to the cloud nor from the commit.
type Asker struct {
	Server string // the address of the agent; "" if there is none.
	Token  string // the file with a token for the agent; "" if there is none.
	CA     string // the file with the authority that signed the agent's certificate; "" for the system's authorities.
}

// agentPatience is the time limit for the answer of an agent, which may not be running.
const agentPatience = 5 * time.Second

// Word reads the agent's report about a stack. It returns nil if no agent is configured.
func (k Asker) Word(ctx context.Context, stack string) *Word {
	if k.Server == "" || k.Token == "" {
		return nil
	}
	w := &Word{server: k.Server}
	ctx, cancel := context.WithTimeout(ctx, agentPatience)
	defer cancel()
	client, err := control.NewClient(k.Server, k.Token, k.CA)
	if err == nil {
		err = client.State(ctx, stack, &w.state)
	}
	w.err = err
	return w
}

// Word is an agent's report about a stack, or the reason why there is no report.
type Word struct {
	server string
	state  agent.State
	err    error
}

// Tell adds to a plan the fact that only the agent knows: whether the plan is held. If the agent's commit
// differs, the plan is returned unchanged.
func (w *Word) Tell(p plan.Plan) plan.Plan {
	switch {
	case !w.knows(p):
	case w.state.Running != nil || w.state.Approved != "":
		p.Held = nil
	default:
		if p.Held = nil; w.state.Held != "" {
			p.Held = cause.List{cause.Of(cause.Told, w.state.Held)}
		}
	}
	return p
}

// Faults returns the reasons why steps of a plan failed, as far as the agent knows them.
func (w *Word) Faults(p plan.Plan) map[manifest.Key]status.Fault {
	if !w.knows(p) {
		return nil
	}
	failed := map[string]status.Fault{}
	for _, f := range w.state.Failures {
		if f.Fault != "" {
			failed[f.Object] = status.Fault{Text: f.Reason, Reason: f.Fault}
		}
	}
	faults := map[manifest.Key]status.Fault{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if f := failed[s.Key.String()]; f.Text != "" && s.Action != plan.Keep {
			faults[s.Key] = f
		}
	}
	return faults
}

// knows reports whether the agent itself serves the stack, at the commit of the plan.
func (w *Word) knows(p plan.Plan) bool {
	if w == nil || w.err != nil || w.state.Looked.IsZero() || w.state.ServedBy != "" {
		return false
	}
	at := w.state.Commit
	if w.state.Running != nil {
		at = w.state.Running.Commit
	}
	return at == p.Commit
}

// Shown returns the report in the form that is shown. It returns nil if no agent was asked.
func (w *Word) Shown() *report.AgentWord {
	if w == nil {
		return nil
	}
	out := &report.AgentWord{Server: w.server}
	s := w.state
	switch {
	case w.err != nil:
		out.Error = w.err.Error()
	case s.ServedBy != "":
		out.State, out.Commit, out.Looked, out.Message = cmp.Or(s.Outcome, "unknown"), s.Commit, s.Looked, "served by "+s.ServedBy
	case s.Running != nil:
		out.State, out.Commit, out.Looked, out.Message = s.Running.State, s.Running.Commit, s.Looked, s.Running.Message
	case s.Looked.IsZero():
		out.State, out.Message = "unknown", "no pass has ended yet"
	default:
		out.State, out.Commit, out.Looked = s.Outcome, s.Commit, s.Looked
		out.Hash, out.Message = s.Hash, cmp.Or(s.Error, s.Suspended, s.Held)
		if s.Held != "" {
			out.State = report.StateHeld
		}
		if s.Approved != "" {
			out.Message += "; approved " + s.Approved
		}
		if len(s.Failures) > 0 && s.Error == "" {
			out.Message = s.Failures[0].Object + ": " + s.Failures[0].Reason
		}
	}
	return out
}
