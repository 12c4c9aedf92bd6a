package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/control"
	"github.com/stackreeve/stackreeve/internal/listen"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
)

// service is the agent as it runs for ever.
type service struct {
	log     *slog.Logger
	stacks  []*agent.Loop
	health  *agent.Health
	metrics *report.Metrics
	forges  *forges
	hooks   http.Handler // nil when webhooks are not asked for
	control http.Handler // what people may ask for
}

func (a *app) service(stacks []config.Stack, f runFlags) (*service, error) {
	var names []string
	for _, s := range stacks {
		names = append(names, s.Name)
	}
	svc := &service{log: a.logger(true), health: agent.NewHealth(names), metrics: report.NewMetrics(version())}
	svc.forges = newForges(svc.log, svc.metrics)
	for i := range stacks {
		one, err := svc.stack(a, &stacks[i])
		if err != nil {
			return nil, err
		}
		one.Approved = approvals(f.approve)
		svc.stacks = append(svc.stacks, one)
	}
	agent.NewStanding(svc.stacks)
	return svc, errors.Join(svc.receive(stacks, f), svc.steer(f))
}

// stack is one stack, ready to run, which reports to the log, the metrics, the
// health and its forges.
func (svc *service) stack(a *app, s *config.Stack) (*agent.Loop, error) {
	w := wiring{log: svc.log, dataDir: a.dataDir, parallel: a.parallel}
	w.observe = func(r cloud.Request) { svc.metrics.Request(r.Service, r.Method, r.Code, r.Took) }
	repo, err := w.repo(s)
	if err != nil {
		return nil, err
	}
	one := new(agent.Loop)
	branches, err := svc.forges.add(w, s, repo, one.Check)
	if err != nil {
		return nil, err
	}
	log := report.NewLog(svc.log.With("stack", s.Name))
	to := sinks{log, svc.metrics, svc.health}
	for _, b := range branches {
		to = append(to, b)
	}
	w.watchers = append([]engine.Watcher{log}, watching(branches)...)
	w.connect(one, s, repo, branches)
	one.Earlier, one.Report = repo.Earlier, to.ran
	return one, nil
}

// sinks hear what came of every visit of a stack, in this order.
type sinks []interface{ Ran(run report.Run) }

func (list sinks) ran(run report.Run) {
	for _, one := range list {
		one.Ran(run)
	}
}

func (s *service) run(ctx context.Context, listen string) error {
	stop, err := s.listen(ctx, listen)
	if err != nil {
		return err
	}
	defer stop()
	s.log.Info("started", "version", version(), "stacks", len(s.stacks))
	defer context.AfterFunc(ctx, func() {
		s.log.Info("stopping: what is in flight is finished; a second signal stops at once")
	})()
	var reviews sync.WaitGroup
	reviews.Go(func() { s.forges.serve(ctx) })
	defer s.onHangup()()
	agent.Serve(ctx, s.stacks)
	reviews.Wait()
	s.forges.flush(ctx)
	s.forges.close()
	s.log.Info("stopped")
	return nil
}

// onHangup has every stack checked when the process gets a SIGHUP, until stop is
// called.
func (s *service) onHangup() (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			s.log.Info("SIGHUP: checking every stack now")
			for _, one := range s.stacks {
				one.Now()
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
	}
}

// scrapes is how many requests for metrics are answered at a time: each answer
// is made in memory.
const scrapes = 4

// handler is all that can be asked of the agent.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.health.Handler(promhttp.HandlerFor(s.metrics.Registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapes})))
	if s.control != nil {
		mux.Handle(control.Prefix, s.control)
	}
	if s.hooks != nil {
		mux.Handle("/webhook/", s.hooks)
	}
	return mux
}

// listen serves health, metrics and webhooks until stop is called.
func (s *service) listen(ctx context.Context, address string) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	server := listen.New(s.handler(), s.log)
	s.log.Info("listening", "address", l.Addr().String())
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("health, metrics and webhooks ended", "error", err)
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx) // the process ends anyway
	}, nil
}
