package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"slices"
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
	"github.com/stackreeve/stackreeve/internal/trace"
)

// service is the agent as it runs for ever.
type service struct {
	log      *slog.Logger
	stacks   []*agent.Loop
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
	stand    *agent.Standing // of stacks that are not shared
	// perFolder are the documents that stand for a stack in each folder, and pushed says of each that somebody may have pushed.
	perFolder []config.Stack
	pushed    map[string]chan struct{}
	among     *group   // with whom the stacks are shared; nil when they are not
	ends      []func() // free what the stacks have
}

func (a *app) service(stacks []config.Stack, f runFlags) (*service, error) {
	var names []string // none that another agent may serve
	for _, s := range stacks {
		if s.Agents() == nil {
			names = append(names, s.Name)
		}
	}
	svc := &service{log: a.logger(true), health: agent.NewHealth(names), metrics: report.NewMetrics(version()), turns: agent.NewTurns(), releaser: newReleaser(), pushed: map[string]chan struct{}{}}
	for _, document := range a.documents {
		if document.PerFolder() {
			svc.perFolder, svc.pushed[document.Name] = append(svc.perFolder, document), make(chan struct{}, 1)
		}
	}
	svc.warnExposed(f)
	if a.notices == nil {
		a.notices = newNotices(slices.Concat(a.documents, stacks), svc.log)
	}
	a.notices.told.Keep(names)
	svc.forges, svc.notices = newForges(svc.log, svc.metrics), a.notices
	if err := svc.trace(f); err != nil {
		return nil, err
	}
	if err := svc.show(stacks, f); err != nil {
		return nil, err
	}
	if err := svc.share(a, stacks, f); err != nil {
		return nil, err
	}
	for i := range names {
		one, end, err := svc.stack(a, &stacks[i], svc.forges, nil)
		if err != nil {
			svc.close()
			return nil, fmt.Errorf("stack %s: %w", stacks[i].Name, err)
		}
		one.Approved = approvals(f.approve)
		svc.stacks, svc.ends = append(svc.stacks, one), append(svc.ends, end)
	}
	svc.stand = agent.NewStanding(svc.stacks)
	if err := errors.Join(svc.receive(stacks, f), svc.steer(f)); err != nil {
		svc.close()
		return nil, err
	}
	return svc, nil
}

// close frees what it has: others may be served next in the same process, and are to find its cache.
func (svc *service) close() {
	svc.forges.close()
	for _, end := range svc.ends {
		end()
	}
}

// startedAgain is for how long an agent that has begun creates nothing, if the cloud is quick: it may have been started in place of one that was killed,
// at once, while the cloud still worked on what that one had asked for.
const startedAgain = 2 * time.Second

// stack is one stack, ready to run, which reports to the log, the metrics, the
// health and its forges. h is what lets it write, where the stack is shared; nil where it is not. end frees what it has.
func (svc *service) stack(a *app, s *config.Stack, at *forges, h *lease.Hold) (one *agent.Loop, end func(), err error) {
	w := a.wiring(svc.log)
	w.progress = nil // nobody waits
	w.former = startedAgain
	if h != nil {
		w.fence, w.grace = h.Within, h.Grace
	}
	w.observe = func(r cloud.Request) { svc.metrics.Request(r.Service, r.Method, r.Code, r.Took) }
	repo, err := w.repo(s, forBranch)
	if err != nil {
		return nil, nil, err
	}
	one = &agent.Loop{Turns: svc.turns}
	branches, err := at.add(w, s, repo, one.Check)
	if err != nil {
		return nil, nil, errors.Join(err, repo.Close())
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
	to = append(to, notify.New(s.Name, s.Notifications(), told, svc.notices.send), svc.releaser)
	w.watchers = append([]engine.Watcher{log}, watching(branches)...)
	if svc.shown != nil {
		w.watchers = append(w.watchers, svc.shown.Watch(s.Name))
	}
	w.connect(one, s, repo, branches)
	one.Earlier, one.Report, one.Traced = repo.Earlier, svc.reports(to), svc.traces != nil
	return one, func() { _ = repo.Close() }, nil // a cache
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
	s.log.Info("started", "version", version(), "stacks", s.count())
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
	if s.among != nil {
		s.among.Run(ctx)
	}
	agent.Serve(ctx, s.stacks)
	<-ctx.Done() // there may be none
	reviews.Wait()
	s.forges.flush(ctx)
	s.notices.flush(ctx)
	s.flushTraces(ctx)
	s.log.Info("stopped")
	return nil
}

// count is how many stacks are configured.
func (s *service) count() int {
	if s.among != nil {
		return len(s.among.Stacks)
	}
	return len(s.stacks)
}

// loops are the stacks that are served now.
func (s *service) loops() []*agent.Loop {
	list := slices.Clone(s.stacks)
	if s.among != nil {
		for _, stack := range s.among.Stacks {
			if here, ok := s.among.at(stack); ok {
				list = append(list, here.loop)
			}
		}
	}
	return list
}

// surviveHangups keeps a SIGHUP from ending the process while nothing is served yet, or other stacks than before are about to be,
// until stop is called. All are checked then anyway.
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
			for _, one := range s.loops() {
				one.Now()
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
	}
}
