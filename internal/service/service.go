// Package service runs the stacks of an agent. Each stack, from the configuration or from a folder, starts, runs and ends independently, as
// long as this agent may serve it. The results go to sinks.
//
//	configuration, folders ─▶ roster ─▶ runner, or leases ─▶ agent.Loop ─▶ sinks: log, metrics, forges, receivers, read API
//	webhooks, people, signals ──────────────────────────────────▲
//
// The package decides when a stack is served and which sinks get its results. The parts of a stack are in internal/session, internal/agent
// decides when a stack runs, and internal/reconcile contains the passes.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/readapi"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// service is the agent as a long-running process.
type service struct {
	opener       session.Opener
	log          *slog.Logger
	roster       *roster
	prepare      func(s *config.Stack) (*served, error) // sets up a stack that is not shared
	runner       *runner                                // nil when stacks are shared
	health       *agent.Health
	metrics      *report.Metrics
	forges       *forges
	hooks        http.Handler // nil without webhooks
	looks        http.Handler // alarms of the cloud; nil without webhooks
	control      http.Handler // requests of people
	api          http.Handler // for kubectl; nil without readers
	ui           http.Handler // for browsers; nil without readers
	shown        *readapi.Store
	notices      *notices
	releaser     *releaser
	probes       *probes
	changes      *changes      // what the clouds' services report
	traces       *trace.Sender // nil without a receiver
	turns        *agent.Turns
	dependencies *agent.Dependencies
	// documents are the documents of the configuration. pushed has a channel for each document with a stack in each folder. It signals that
	// somebody may have pushed to the document's repository.
	documents []config.Stack
	pushed    map[string]chan struct{}
	follow    func(context.Context) // starts and ends stacks as their folders come and go; nil if no document has folders.
	group     *group                // the agents that share the stacks; nil when they are not shared
}

// Run serves the stacks of the documents until ctx ends.
func Run(ctx context.Context, o session.Opener, documents []config.Stack, f Options) error {
	defer ignoreHangups()()
	o.Progress = nil // nobody watches a terminal; the log shows the progress
	dirs := newFolders(o, documents)
	stacks, unlisted, problems := dirs.all(ctx)
	if ctx.Err() != nil {
		return nil
	}
	s, err := newService(o, documents, stacks, f)
	if err != nil {
		return err
	}
	dirs.logProblems(s, unlisted, problems)
	s.follow = func(ctx context.Context) { dirs.watch(ctx, s) }
	return s.run(ctx, f.Listen)
}

// newService creates all parts that serve stacks. It returns an error if one of the given stacks cannot be set up. A stack that is added
// later is tried again instead.
func newService(o session.Opener, documents, stacks []config.Stack, f Options) (*service, error) {
	shared := len(documents) > 0 && documents[0].Agents() != nil // all documents have the same agents
	svc := &service{
		opener: o, log: f.Log, roster: newRoster(), metrics: report.NewMetrics(o.Version), turns: agent.NewTurns(), dependencies: agent.NewDependencies(),
		releaser: newReleaser(), documents: documents, pushed: map[string]chan struct{}{},
	}
	for _, document := range documents {
		if document.PerFolder() {
			svc.pushed[document.Name] = make(chan struct{}, 1)
		}
	}
	svc.warnExposed(f)
	svc.forges, svc.notices = newForges(svc.log, svc.metrics), newNotices(documents, o.DataDir, svc.log)
	svc.changes, svc.probes = newChanges(documents, svc.log, svc.metrics), newProbes(svc.log)
	if err := errors.Join(svc.setUpTraces(f), svc.setUpReadAPI(f)); err != nil {
		return nil, err
	}
	var err error
	if shared {
		svc.health = agent.NewHealth(nil) // any stack may belong to another agent, so Health waits for none
		err = svc.setUpShared(f)
	} else {
		svc.health = agent.NewHealth(namesOf(stacks))
		svc.notices.sent.Keep(namesOf(stacks))
		err = svc.setUpAlone(stacks, f)
	}
	if err == nil {
		svc.setStacks(stacks)
		err = errors.Join(svc.setUpWebhooks(f), svc.setUpControl(f))
	}
	if err != nil {
		svc.close()
		return nil, err
	}
	return svc, nil
}

// setUpAlone makes this agent serve all stacks. It sets up the given stacks immediately.
func (svc *service) setUpAlone(stacks []config.Stack, f Options) error {
	for i := range svc.documents {
		if err := svc.forges.reach(&svc.documents[i]); err != nil {
			return fmt.Errorf("stack %s: %w", svc.documents[i].Name, err)
		}
	}
	svc.prepare = func(s *config.Stack) (*served, error) {
		return svc.prepareStack(s, svc.forges, nil, approvals(f.Approve))
	}
	svc.runner = &runner{serve: svc.serveAlone, log: svc.log}
	for i := range stacks {
		one, err := svc.prepare(&stacks[i])
		if err != nil {
			return fmt.Errorf("stack %s: %w", stacks[i].Name, err)
		}
		svc.roster.store(stacks[i].Name, one)
	}
	return nil
}

// close frees the resources of the service.
func (svc *service) close() {
	svc.forges.close()
	for _, one := range svc.roster.untaken() {
		one.close()
	}
}

func (svc *service) run(ctx context.Context, d Listener) error {
	defer svc.close()
	stop, err := svc.listen(ctx, d)
	if err != nil {
		return err
	}
	defer stop()
	svc.log.Info("started", "version", svc.opener.Version, "stacks", len(svc.roster.names()))
	defer context.AfterFunc(ctx, func() {
		svc.log.Info("stopping: running requests are finished; a second signal stops the agent immediately")
	})()
	var reviews sync.WaitGroup
	reviews.Go(func() { svc.forges.serve(ctx) })
	reviews.Go(func() { svc.notices.serve(ctx) })
	reviews.Go(func() { svc.changes.serve(ctx) })
	reviews.Go(func() { svc.probes.serve(ctx) })
	if svc.traces != nil {
		reviews.Go(func() { svc.traces.Serve(ctx) })
	}
	defer svc.onHangup()()
	if svc.follow != nil {
		reviews.Go(func() { svc.follow(ctx) })
	}
	if svc.group != nil {
		svc.group.Run(ctx)
	} else {
		svc.runner.run(ctx)
	}
	reviews.Wait()
	svc.forges.flush(ctx)
	svc.notices.flush(ctx)
	svc.flushTraces(ctx)
	svc.log.Info("stopped")
	return nil
}

func namesOf(stacks []config.Stack) (names []string) {
	for _, s := range stacks {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}
