package main

import (
	"cmp"
	"context"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// asker asks the agent that serves a stack how it is: what the agent knows besides the cloud and the commit, such as approvals and failures, nobody
// else can find out.
type asker struct{ server, token, ca string }

// agentPatience bounds how long an agent is waited for that may not run.
const agentPatience = 5 * time.Second

func askerFlags(cmd *cobra.Command) *asker {
	k := &asker{}
	flags := cmd.Flags()
	flags.StringVar(&k.server, "server", os.Getenv("STACKREEVE_SERVER"), "address of the agent that serves the stacks, to show what it says ($STACKREEVE_SERVER; default the address of $STACKREEVE_LISTEN, or none)")
	flags.StringVar(&k.token, "control-token-file", os.Getenv("STACKREEVE_CONTROL_TOKEN_FILE"), "file with a token that it takes ($STACKREEVE_CONTROL_TOKEN_FILE; default: it is not asked)")
	flags.StringVar(&k.ca, "control-ca-file", os.Getenv("STACKREEVE_CONTROL_CA_FILE"), caUsage)
	for _, name := range []string{"server", "control-token-file", "control-ca-file"} {
		_ = flags.SetAnnotation(name, onlyShows, []string{"true"}) // there is such a flag
	}
	return k
}

// address is where the agent is asked; "" for nowhere.
func (k *asker) address() string {
	if k.server != "" || k.token == "" {
		return k.server
	}
	host, port, err := net.SplitHostPort(os.Getenv("STACKREEVE_LISTEN"))
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http://"
	if os.Getenv("STACKREEVE_LISTEN_CERT_FILE") != "" {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port)
}

// word is what the agent says of a stack; nil where none is to be asked.
func (k *asker) word(ctx context.Context, stack string) *word {
	server := k.address()
	if server == "" || k.token == "" {
		return nil
	}
	w := &word{server: server}
	ctx, cancel := context.WithTimeout(ctx, agentPatience)
	defer cancel()
	client, err := control.NewClient(server, k.token, k.ca)
	if err == nil {
		err = client.State(ctx, stack, &w.state)
	}
	w.err = err
	return w
}

// word is what an agent says of a stack, or why it says nothing.
type word struct {
	server string
	state  agent.State
	err    error
}

// tell has a plan that was made here say what only the agent knows, where that is at the same commit: whether it is held, and what failed.
func (w *word) tell(p plan.Plan) plan.Plan {
	if w == nil || w.err != nil || w.state.Looked.IsZero() || w.state.ServedBy != "" {
		return p
	}
	at := w.state.Commit
	if w.state.Running != nil {
		at = w.state.Running.Commit
	}
	if at != p.Commit {
		return p
	}
	failed := map[string]plan.Fault{}
	for _, f := range w.state.Failures {
		if f.Fault != "" {
			failed[f.Object] = plan.Fault{Text: f.Reason, Reason: f.Fault}
		}
	}
	p = p.FailedAt(failed)
	if w.state.Running != nil || w.state.Approved != "" {
		p.Held = ""
	} else {
		p.Held = w.state.Held
	}
	return p
}

// shown is the word as it is shown; nil where none was asked for.
func (w *word) shown() *report.AgentWord {
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
