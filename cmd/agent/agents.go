package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/lease"
	"github.com/stackreeve/stackreeve/internal/readapi"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// group are the agents that serve the same stacks, and which of them this one serves now.
type group struct {
	*lease.Member
	forward *forwarder
	stand   *agent.Standing

	mu   sync.Mutex
	here map[string]served // by stack
}

// served is a stack that this agent serves now.
type served struct {
	loop   *agent.Loop
	forges *forges
}

// share has the stacks served together with other agents, where the configuration says so.
func (svc *service) share(a *app, stacks []config.Stack, f runFlags) error {
	if len(stacks) == 0 || stacks[0].Agents() == nil {
		return nil // folders may have made no stack yet
	}
	with := stacks[0].Agents()
	who, err := whoWeAre(with, f)
	if err != nil {
		return err
	}
	store, err := svc.leases(with)
	if err != nil {
		return err
	}
	g := &group{stand: agent.NewStanding(nil), here: map[string]served{}}
	if g.forward, err = newForwarder(with.Spec.CAFile, who.Address, svc.log); err != nil {
		return fmt.Errorf("spec.caFile: %w", err)
	}
	byName := map[string]*config.Stack{}
	var names []string
	for i := range stacks {
		byName[stacks[i].Name], names = &stacks[i], append(names, stacks[i].Name)
		g.stand.Expect(stacks[i].Name)
	}
	g.Member = &lease.Member{
		Agent: who, Stacks: names, Store: store, Periods: lease.Periods{TTL: with.TTL()}, Log: svc.log,
		Serve:   func(ctx context.Context, h *lease.Hold) { svc.serveHeld(ctx, a, byName[h.Stack], h) },
		Summary: g.summary, Seen: svc.seen,
	}
	svc.among = g
	return nil
}

// whoWeAre is this agent, as others know it.
func whoWeAre(with *config.Agents, f runFlags) (who lease.Agent, err error) {
	who.Name, who.Address = cmp.Or(f.agentName, with.Spec.Name), cmp.Or(f.agentAddress, with.Spec.Address)
	if who.Name == "" {
		if who.Name, err = os.Hostname(); err != nil {
			return who, fmt.Errorf("--agent-name is missing, and the name of the machine is not known: %w", err)
		}
	}
	if what := config.CheckAgent(who.Name, who.Address); what != "" {
		return who, errors.New("--agent-name and --agent-address: " + what)
	}
	return who, nil
}

// serveHeld serves a stack as long as this agent has it, from an empty memory.
func (svc *service) serveHeld(ctx context.Context, a *app, s *config.Stack, h *lease.Hold) {
	g, forges := svc.among, newForges(svc.log, svc.metrics)
	forges.fence = h.Check
	defer svc.forget(s.Name)
	defer forges.close()
	one, end, err := svc.stack(a, s, forges, h)
	if err != nil {
		svc.log.Error("the stack cannot be served; it is tried again", "stack", s.Name, "error", err)
		return
	}
	one.Leave = h.Leave()
	defer g.stand.Join(one)()
	g.set(s.Name, served{one, forges})
	defer g.set(s.Name, served{})
	reviewing, stop := context.WithCancel(ctx)
	var reviews sync.WaitGroup
	reviews.Go(func() { forges.serve(reviewing) })
	one.Serve(ctx)
	stop()
	reviews.Wait()
	if h.Check() == nil {
		forges.flush(ctx)
	}
	end()
}

// forget takes away what is known here of a stack that is not served any more. Who serves it is shown once that is listed, which may take long: one
// that was lost with the way to etcd went on being shown as it was.
func (svc *service) forget(stack string) {
	svc.metrics.Forget(stack)
	svc.health.Forget(stack)
	if svc.shown != nil {
		svc.shown.Elsewhere(stack, readapi.Other{})
	}
}

func (g *group) set(stack string, s served) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.loop == nil {
		delete(g.here, stack)
		return
	}
	g.here[stack] = s
}

func (g *group) at(stack string) (s served, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok = g.here[stack]
	return s, ok
}

// summary is what others are told of a stack that is served here.
func (g *group) summary(stack string) lease.Summary {
	s, ok := g.at(stack)
	if !ok {
		return lease.Summary{}
	}
	state := s.loop.State()
	return lease.Summary{Outcome: state.Outcome, Stands: s.loop.Stands(), Commit: state.Commit, Looked: state.Looked.UTC(), Held: state.Held != "", Suspended: state.Suspended != ""}
}

// seen has what other agents serve shown, and those stacks go on that depend on it.
func (svc *service) seen(v lease.View) {
	g := svc.among
	for _, stack := range g.Stacks {
		if _, here := g.at(stack); here {
			continue
		}
		h := v.Stacks[stack]
		g.stand.Note(stack, outcomeOf(h.Summary))
		if svc.shown != nil {
			svc.shown.Elsewhere(stack, readapi.Other{Agent: h.Agent, Address: h.Address, State: stateOf(h.Summary), Commit: h.Summary.Commit, Looked: h.Summary.Looked})
		}
	}
}

// outcomeOf is how a stack stands that another agent serves. Earlier versions tell only how its last run ended.
func outcomeOf(s lease.Summary) plan.Outcome {
	for _, o := range []plan.Outcome{plan.InSync, plan.OutOfSync, plan.Invalid} {
		if o.String() == cmp.Or(s.Stands, s.Outcome) {
			return o
		}
	}
	return plan.Broken
}

// stateOf is a state in the words of the read API.
func stateOf(s lease.Summary) string {
	switch {
	case s.Held:
		return "held"
	case s.Suspended:
		return "suspended"
	}
	return s.Outcome
}

// state is how a stack is, whoever serves it.
func (g *group) state(stack string) agent.State {
	if s, ok := g.at(stack); ok {
		return s.loop.State()
	}
	h, ok := g.Elsewhere(stack)
	if !ok {
		return agent.State{Stack: stack} // what was listed last may be our own word
	}
	return agent.State{Stack: stack, ServedBy: h.Agent, Address: h.Address, Commit: h.Summary.Commit, Outcome: h.Summary.Outcome, Looked: h.Summary.Looked}
}

// elsewhere says who serves a stack, if this agent does not.
func (g *group) elsewhere(stack string) error {
	if _, ok := g.at(stack); ok {
		return nil
	}
	h, ok := g.Elsewhere(stack)
	switch {
	case !ok:
		return fmt.Errorf("no agent serves the stack %s now; ask again", stack)
	case h.Address == "":
		return fmt.Errorf("the stack %s is served by the agent %s; ask that one", stack, h.Agent)
	}
	return fmt.Errorf("the stack %s is served by the agent %s; ask at %s", stack, h.Agent, h.Address)
}
