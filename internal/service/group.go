package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/lease"
	"github.com/stackreeve/stackreeve/internal/readapi"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// group is the set of agents that serve the same stacks. It knows which stacks this agent serves now.
type group struct {
	*lease.Member
	forward *forwarder
	roster  *roster
}

// setUpShared sets up the agent to share its stacks with other agents.
func (svc *service) setUpShared(f Options) error {
	with := svc.documents[0].Agents()
	who, err := identifyAgent(with, f)
	if err != nil {
		return err
	}
	store, err := svc.leases(with)
	if err != nil {
		return err
	}
	g := &group{roster: svc.roster}
	if g.forward, err = newForwarder(with.Spec.CAFile, who.Address, svc.log); err != nil {
		return fmt.Errorf("spec.caFile: %w", err)
	}
	g.Member = &lease.Member{
		Agent: who, Store: store, Periods: lease.Periods{TTL: with.TTL()}, Log: svc.log,
		Serve:   func(ctx context.Context, h *lease.Hold) { svc.serveHeld(ctx, h) },
		Summary: g.summary, Seen: svc.showOthers,
	}
	svc.group = g
	return nil
}

// identifyAgent returns the name and the address by which other agents know this agent.
func identifyAgent(with *config.Agents, f Options) (who lease.Agent, err error) {
	who.Name, who.Address = cmp.Or(f.AgentName, with.Spec.Name), cmp.Or(f.AgentAddress, with.Spec.Address)
	if who.Name == "" {
		if who.Name, err = os.Hostname(); err != nil {
			return who, fmt.Errorf("--agent-name is missing, and the name of the machine cannot be read: %w", err)
		}
	}
	if what := config.CheckAgent(who.Name, who.Address); what != "" {
		return who, errors.New("--agent-name and --agent-address: " + what)
	}
	return who, nil
}

// summary returns the state of a stack that this agent serves, as other agents may see it.
func (g *group) summary(stack string) lease.Summary {
	s, ok := g.roster.servedAs(stack)
	if !ok {
		return lease.Summary{}
	}
	state := s.loop.State()
	return lease.Summary{Outcome: state.Outcome, LastOutcome: s.loop.LastOutcome(), Commit: state.Commit, Looked: state.Looked.UTC(), Held: state.Held != "", Suspended: state.Suspended != ""}
}

// showOthers shows the stacks that other agents serve. It also reports their outcomes to the stacks that depend on them.
func (svc *service) showOthers(v lease.View) {
	for _, stack := range svc.roster.names() {
		if _, here := svc.roster.servedAs(stack); here {
			continue
		}
		h := v.Stacks[stack]
		svc.dependencies.SetOutcome(stack, outcomeOf(h.Summary))
		if svc.shown != nil {
			svc.shown.ShowElsewhere(stack, readapi.Other{Agent: h.Agent, Address: h.Address, State: stateOf(h.Summary), Commit: h.Summary.Commit, Looked: h.Summary.Looked})
		}
	}
}

// outcomeOf returns the outcome of a stack that another agent serves. Agents of earlier versions report only how the last run ended.
func outcomeOf(s lease.Summary) plan.Outcome {
	for _, o := range []plan.Outcome{plan.InSync, plan.OutOfSync, plan.Invalid} {
		if o.String() == cmp.Or(s.LastOutcome, s.Outcome) {
			return o
		}
	}
	return plan.Broken
}

// stateOf returns a state as the read API writes it.
func stateOf(s lease.Summary) string {
	switch {
	case s.Held:
		return "held"
	case s.Suspended:
		return "suspended"
	}
	return s.Outcome
}

// state returns the state of a stack that another agent serves.
func (g *group) state(stack string) agent.State {
	h, ok := g.ServedByOther(stack)
	if !ok {
		return agent.State{Stack: stack} // the last list may still contain this agent's own summary
	}
	return agent.State{Stack: stack, ServedBy: h.Agent, Address: h.Address, Commit: h.Summary.Commit, Outcome: h.Summary.Outcome, Looked: h.Summary.Looked}
}

// servedByOther returns an error that names the agent that serves a stack.
func (g *group) servedByOther(stack string) error {
	h, ok := g.ServedByOther(stack)
	switch {
	case !ok:
		return fmt.Errorf("no agent serves the stack %s now; ask again", stack)
	case h.Address == "":
		return fmt.Errorf("the stack %s is served by the agent %s; ask that one", stack, h.Agent)
	}
	return fmt.Errorf("the stack %s is served by the agent %s; ask at %s", stack, h.Agent, h.Address)
}
