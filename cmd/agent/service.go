package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/lease"
	"github.com/stackreeve/stackreeve/internal/notify"
	"github.com/stackreeve/stackreeve/internal/readapi"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
	serving "github.com/stackreeve/stackreeve/internal/service"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// service is the agent as it runs for ever.
type service struct {
	log      *slog.Logger
	roster   *roster
	prepare  func(s *config.Stack) (*served, error) // makes a stack ready that is not shared
	runner   *serving.Runner                        // nil when they are
	health   *agent.Health
	metrics  *report.Metrics
	forges   *forges
	hooks    http.Handler // nil when webhooks are not asked for
	control  http.Handler // what people may ask for
	api      http.Handler // what kubectl reads; nil when nobody may
	ui       http.Handler // what browsers read; nil then, too
	shown    *readapi.Store
	notices  *notices
	releaser *releaser
	traces   *trace.Sender // nil when nobody takes them
	turns    *agent.Turns
	stand    *agent.Standing
	// documents are those of the configuration, and pushed says of those that stand for a stack in each folder that somebody may have pushed.
	documents []config.Stack
	pushed    map[string]chan struct{}
	follow    func(context.Context) // looks which stacks there are; nil where none come and go
	among     *group                // with whom the stacks are shared; nil when they are not
}

// service makes all that serves stacks. What is wrong with one of them is an error now; of those that come later it is tried again.
func (a *app) service(stacks []config.Stack, f runFlags) (*service, error) {
	shared := len(a.documents) > 0 && a.documents[0].Agents() != nil // all have the same
	svc := &service{
		log: a.logger(true), roster: newRoster(), metrics: report.NewMetrics(version()), turns: agent.NewTurns(), stand: agent.NewStanding(nil),
		releaser: newReleaser(), documents: a.documents, pushed: map[string]chan struct{}{},
	}
	for _, document := range a.documents {
		if document.PerFolder() {
			svc.pushed[document.Name] = make(chan struct{}, 1)
		}
	}
	svc.warnExposed(f)
	svc.forges, svc.notices = newForges(svc.log, svc.metrics), newNotices(a.documents, a.dataDir, svc.log)
	if err := errors.Join(svc.trace(f), svc.show(a, f)); err != nil {
		return nil, err
	}
	var err error
	if shared {
		svc.health = agent.NewHealth(nil) // another agent may have any of them
		err = svc.share(a, f)
	} else {
		svc.health = agent.NewHealth(namesOf(stacks))
		svc.notices.told.Keep(namesOf(stacks))
		err = svc.alone(a, stacks, f)
	}
	if err == nil {
		svc.change(stacks)
		err = errors.Join(svc.receive(f), svc.steer(f))
	}
	if err != nil {
		svc.close()
		return nil, err
	}
	return svc, nil
}

// alone has all stacks served by this agent. Those that there are at the start are made ready at once.
func (svc *service) alone(a *app, stacks []config.Stack, f runFlags) error {
	for i := range svc.documents {
		if err := svc.forges.reach(&svc.documents[i]); err != nil {
			return fmt.Errorf("stack %s: %w", svc.documents[i].Name, err)
		}
	}
	svc.prepare = func(s *config.Stack) (*served, error) {
		one, err := svc.stack(a, s, svc.forges, nil)
		if err == nil {
			one.loop.Approved = approvals(f.approve)
		}
		return one, err
	}
	svc.runner = &serving.Runner{Serve: svc.serveAlone, Log: svc.log}
	for i := range stacks {
		one, err := svc.prepare(&stacks[i])
		if err != nil {
			return fmt.Errorf("stack %s: %w", stacks[i].Name, err)
		}
		svc.roster.keep(stacks[i].Name, one)
	}
	return nil
}

// close frees what it has.
func (svc *service) close() {
	svc.forges.close()
	for _, one := range svc.roster.kept() {
		one.close()
	}
}

// startedAgain is for how long an agent that has begun creates nothing, if the cloud is quick: it may have been started in place of one that was killed,
// at once, while the cloud still worked on what that one had asked for.
const startedAgain = 2 * time.Second

// stack is one stack, ready to run, which reports to the log, the metrics, the
// health and its forges. h is what lets it write, where the stack is shared; nil where it is not.
func (svc *service) stack(a *app, s *config.Stack, at *forges, h *lease.Hold) (*served, error) {
	w := a.wiring(svc.log)
	w.progress = nil // nobody waits
	w.former = startedAgain
	if h != nil {
		w.fence, w.grace = h.Within, h.Grace
	}
	w.observe = func(r cloud.Request) { svc.metrics.Request(r.Service, r.Method, r.Code, r.Took) }
	repo, err := w.repo(s, forBranch)
	if err != nil {
		return nil, err
	}
	one := &agent.Loop{Turns: svc.turns}
	forge, err := at.add(w, s, repo, one.Check)
	if err != nil {
		return nil, errors.Join(err, repo.Close())
	}
	branches := forge.branches
	if svc.shown != nil {
		svc.shown.Ask(s.Name, wroteBy(repo))
	}
	log := report.NewLog(svc.log.With("stack", s.Name))
	to := sinks{log, svc.metrics, svc.health}
	if svc.shown != nil {
		to = append(to, svc.shown)
	}
	for _, b := range branches {
		to = append(to, b)
	}
	told := svc.notices.told
	if h != nil {
		told = notify.NewMemory() // what other agents have told meanwhile is not known
	}
	notices := notify.New(s.Name, s.Notifications(), told, svc.notices.send)
	notices.Link = linkOf(s)
	to = append(to, notices, svc.releaser)
	w.watchers = append([]engine.Watcher{log, one.Watcher(), notices.Rolling()}, watching(branches)...)
	if svc.shown != nil {
		w.watchers = append(w.watchers, svc.shown.Watch(s.Name))
	}
	w.connect(one, s, repo, branches)
	one.Earlier, one.Report, one.Traced = repo.Earlier, svc.reports(to), svc.traces != nil
	svc.log.Info("after a restart", append([]any{"stack", s.Name}, remembered(len(branches) > 0, one.Record != "", s)...)...)
	if err := one.Record.Check(); err != nil {
		svc.log.Warn("what was kept of the stack is not read", "stack", s.Name, "error", err.Error())
	}
	return &served{loop: one, forges: at, reports: forge, now: agent.NewPace(one.Now), close: func() { forge.close(); _ = repo.Close() }}, nil // a cache
}

// remembered says what the next process will know, and from where.
func remembered(forge, folder bool, s *config.Stack) []any {
	const unknown = "not known"
	inSync, approvals, project := unknown, unknown+", but for rollouts of groups that have begun", unknown+": set spec.project, or a plan for the wrong project creates everything there"
	if folder {
		approvals, project = "read from the folder for data", "read from the folder for data"
	}
	if forge {
		inSync, approvals, project = "read from the forge", "read from the forge", "compared with what the forge says was in sync"
	}
	if s.Spec.Project != "" {
		project = "spec.project"
	}
	attrs := []any{"approvals", approvals, "in_sync", inSync, "project", project}
	if !forge && s.LeavesDrift() {
		attrs = append(attrs, "drift", "what is missing and the commit before wanted is only reported")
	}
	return attrs
}

// sinks hear what came of every visit of a stack, in this order.
type sinks []interface{ Ran(run report.Run) }

func (list sinks) ran(run report.Run) {
	for _, one := range list {
		one.Ran(run)
	}
}

func (s *service) run(ctx context.Context, d door) error {
	defer s.close()
	stop, err := s.listen(ctx, d)
	if err != nil {
		return err
	}
	defer stop()
	s.log.Info("started", "version", version(), "stacks", len(s.roster.names()))
	defer context.AfterFunc(ctx, func() {
		s.log.Info("stopping: what is in flight is finished; a second signal stops at once")
	})()
	var reviews sync.WaitGroup
	reviews.Go(func() { s.forges.serve(ctx) })
	reviews.Go(func() { s.notices.serve(ctx) })
	if s.traces != nil {
		reviews.Go(func() { s.traces.Serve(ctx) })
	}
	defer s.onHangup()()
	if s.follow != nil {
		reviews.Go(func() { s.follow(ctx) })
	}
	if s.among != nil {
		s.among.Run(ctx)
	} else {
		s.runner.Run(ctx)
	}
	reviews.Wait()
	s.forges.flush(ctx)
	s.notices.flush(ctx)
	s.flushTraces(ctx)
	s.log.Info("stopped")
	return nil
}

// surviveHangups keeps a SIGHUP from ending the process while nothing is served yet, until stop is called. All are checked then anyway.
func surviveHangups() (stop func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGHUP)
	return func() { signal.Stop(unread) }
}

// onHangup has every stack checked when the process gets a SIGHUP, until stop is
// called.
func (s *service) onHangup() (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			s.log.Info("SIGHUP: checking every stack now")
			for _, one := range s.roster.serving() {
				one.loop.Now()
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
	}
}
