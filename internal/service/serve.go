package service

import (
	"context"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/lease"
	"github.com/stackreeve/stackreeve/internal/readapi"
)

// setStacks replaces the stacks to serve. Stacks that are served already continue; only their dependencies are updated.
func (svc *service) setStacks(stacks []config.Stack) (changed, gone []config.Stack) {
	changed, gone = svc.roster.change(stacks)
	for i := range changed {
		svc.dependencies.Expect(changed[i].Name)
		if svc.shown != nil {
			svc.shown.Add(changed[i].Name, svc.about(&changed[i]), time.Now())
		}
	}
	for _, one := range svc.roster.serving() {
		svc.updateDependencies(one.loop)
	}
	if svc.group != nil {
		svc.group.Set(svc.roster.names())
	} else {
		want := map[string]string{}
		for i := range stacks {
			want[stacks[i].Name] = identity(&stacks[i])
		}
		svc.runner.set(want)
	}
	for i := range gone {
		svc.dropRemoved(gone[i].Name)
	}
	return changed, gone
}

// updateDependencies updates the dependencies of a served stack from its configuration.
func (svc *service) updateDependencies(one *agent.Loop) {
	if s, ok := svc.roster.configured(one.Name); ok {
		svc.dependencies.Depend(one, s.Spec.DependsOn)
	}
}

// dropRemoved drops all knowledge about a stack, once it is no longer configured and no longer served here.
func (svc *service) dropRemoved(name string) {
	_, configured := svc.roster.configured(name)
	_, here := svc.roster.servedAs(name)
	if configured || here {
		return
	}
	svc.metrics.Remove(name)
	svc.health.Forget(name)
	svc.dependencies.Remove(name)
	svc.notices.sent.Forget(name)
	if svc.shown != nil {
		svc.shown.Remove(name)
	}
}

// servePrepared serves a prepared stack until ctx ends or the stack must leave.
func (svc *service) servePrepared(ctx context.Context, name string, one *served) {
	defer svc.dependencies.Join(one.loop)()
	svc.roster.set(name, one)
	defer svc.roster.set(name, nil)
	svc.updateDependencies(one.loop)
	one.serve(ctx)
}

// serveAlone serves a stack that no other agent may serve.
func (svc *service) serveAlone(ctx context.Context, name string) (err error) {
	s, ok := svc.roster.configured(name)
	one := svc.roster.take(name)
	if one == nil && ok {
		if one, err = svc.prepare(&s); err != nil {
			return err
		}
	}
	if one == nil {
		return nil // the stack has just been removed
	}
	svc.servePrepared(ctx, name, one)
	if now, ok := svc.roster.configured(name); ok && identity(&now) == identity(&s) {
		svc.roster.store(name, one) // the process is ending, and still posts the pending reports
		return nil
	}
	one.close()
	svc.forget(name)
	svc.dropRemoved(name)
	return nil
}

// serveHeld serves a stack as long as this agent has its lease. It starts without knowledge of earlier runs.
func (svc *service) serveHeld(ctx context.Context, h *lease.Hold) {
	s, ok := svc.roster.configured(h.Stack)
	if !ok {
		return
	}
	defer svc.dropRemoved(s.Name)
	forges := newForges(svc.log, svc.metrics)
	forges.fence = h.Check
	defer svc.forget(s.Name)
	defer forges.close()
	one, err := svc.prepareStack(&s, forges, h, nil)
	if err != nil {
		svc.log.Error("the stack cannot be served; the agent tries again", "stack", s.Name, "error", err)
		return
	}
	defer one.close()
	visiting, stop := context.WithCancel(ctx)
	visited := make(chan struct{})
	go func() { defer close(visited); forges.serve(visiting) }()
	svc.servePrepared(ctx, s.Name, one)
	stop()
	<-visited
	if h.Check() == nil {
		forges.flush(ctx)
	}
}

// forget drops the knowledge about a stack that this agent no longer serves. The stack's new agent is known only after the next list, which
// may take long. Without forget, the old state of a stack that was lost with the connection to etcd would be shown until then.
func (svc *service) forget(stack string) {
	svc.metrics.Forget(stack)
	svc.health.Forget(stack)
	if svc.shown != nil {
		svc.shown.ShowElsewhere(stack, readapi.Other{})
	}
}
