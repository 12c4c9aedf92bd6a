package service

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/lease"
	"github.com/stackreeve/stackreeve/internal/notify"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
)

// served is a stack that this agent serves, or is about to.
type served struct {
	loop    *agent.Loop
	forges  *forges // the forges that the stack reports to
	reports *reports
	hearing *hearing    // what the cloud reports about the stack
	now     *agent.Pace // makes the stack reconcile
	close   func()      // frees the stack's resources
}

// serve serves the stack until ctx ends or the stack must leave.
func (s *served) serve(ctx context.Context) {
	reviewing, stop := context.WithCancel(ctx)
	var reviews sync.WaitGroup
	reviews.Go(func() { s.reports.serve(reviewing) })
	s.loop.Serve(ctx)
	stop()
	reviews.Wait()
}

// restartWait is the time during which an agent that begins to serve a stack creates nothing, if the cloud is fast. The agent may replace one
// that was killed a moment ago, and the cloud may still be handling the requests of that agent. A stack that gets its turn later need not wait.
const restartWait = 2 * time.Second

// prepareStack returns a stack that is ready to run. Its results go to the [sinks]. If the stack is shared, h is the lease that allows it to
// write; otherwise h is nil. Only plans with one of the approvals may pass the brake without an approval on the forge or by the control API.
func (svc *service) prepareStack(s *config.Stack, at *forges, h *lease.Hold, approved []plan.Approval) (*served, error) {
	o := svc.opener
	o.Log, o.Former, o.AloneSince = svc.log, restartWait, time.Now()
	var leave <-chan struct{}
	if h != nil {
		o.Fence, o.Grace, leave = h.Within, h.Grace, h.Leave()
	}
	o.Observe = func(r cloud.Request) {
		svc.metrics.Request(r.Service, r.Method, r.Code, r.Took)
		svc.metrics.Load(r.Service, r.Waited, r.Allowed)
	}
	from, err := o.Source(s)
	if err != nil {
		return nil, err
	}
	signals, progress := agent.NewSignals(), agent.NewProgress()
	forge, err := at.add(o, s, from, signals.Check)
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	branches := forge.branches
	if repo, ok := session.Git(from); ok && svc.shown != nil {
		svc.shown.SetLastChange(s.Name, lastChangeOf(repo))
	}
	log := report.NewLog(svc.log.With("stack", s.Name))
	to := sinks{log, svc.metrics, svc.health}
	if svc.shown != nil {
		to = append(to, svc.shown)
	}
	for _, b := range branches {
		to = append(to, b)
	}
	told := svc.notices.sent
	if h != nil {
		told = notify.NewMemory() // this agent does not know which notifications other agents have sent meanwhile
	}
	notices := notify.New(s.Name, s.Notifications(), told, svc.notices.send)
	notices.Link = linkOf(s)
	to = append(to, notices, svc.releaser)
	o.Watchers = append([]engine.Watcher{log, progress, notices.RolloutWatcher()}, watchersOf(branches)...)
	if svc.shown != nil {
		o.Watchers = append(o.Watchers, svc.shown.Watch(s.Name))
	}
	heard, leaveChanges := svc.changes.join(s, signals.Look)
	if heard.from != "" || s.Spec.Events.Probes() {
		to, o.Watchers, o.Reported, o.UserName = append(to, heard), append(o.Watchers, heard), heard.reported, heard.names.name
		o.Looks = true
	}
	record := o.Record(s)
	svc.log.Info("after a restart", append([]any{"stack", s.Name}, memoryAttributes(len(branches) > 0, record != "", s)...)...)
	if err := record.Check(); err != nil {
		svc.log.Warn("the stack's record cannot be read", "stack", s.Name, "error", err.Error())
	}
	cfg := o.LoopConfig(s, from, branches)
	cfg.Earlier, cfg.Approved = session.Earlier(from), approved
	cfg.Process = agent.Process{
		Signals: signals, Progress: progress, Dependencies: svc.dependencies, Turns: svc.turns, Record: record,
		Report: svc.reports(to), Looked: svc.looked(s.Name, heard), Traced: svc.traces != nil, Leave: leave,
	}
	if heard.from != "" {
		cfg.Open, cfg.NoticedBy = heard.opening(cfg.Open), func() string { return svc.changes.noticedBy(heard.from, s.Spec.Events.Probes()) }
	}
	leaveProbes := func() {}
	if s.Spec.Events.Probes() {
		cfg.Open, leaveProbes = svc.probes.join(s.Spec.Cloud, heard, cfg.Open)
	}
	return &served{loop: agent.New(cfg), forges: at, reports: forge, hearing: heard, now: agent.NewPace(signals.ReconcileNow), close: func() { leaveChanges(); leaveProbes(); heard.close(); forge.close(); _ = from.Close() }}, nil // the clone is a cache, so an error is ignored
}

// looked returns a function that counts and logs the looks of a stack, and tells them to heard.
func (svc *service) looked(stack string, heard *hearing) func(engine.Moved, engine.Looked) {
	return func(moved engine.Moved, result engine.Looked) {
		heard.looked(result)
		svc.metrics.Looked(string(result))
		svc.log.Debug("looked at what has changed in the cloud", "stack", stack, "collections", moved.Collections, "result", string(result))
	}
}

// memoryAttributes returns log attributes: which facts the next process will know, and where it will read them.
func memoryAttributes(forge, folder bool, s *config.Stack) []any {
	const unknown = "not known"
	inSync, approvals, project := unknown, unknown+", except approvals of rollouts that have begun; other plans need a new approval: set --data-dir, or report to a forge", unknown+": set spec.project; if it is not set and the credentials are for a wrong project, a plan creates all objects there"
	if folder {
		approvals, project = "read from the folder for data", "read from the folder for data"
	}
	if forge {
		inSync, approvals, project = "read from the forge", "read from the forge", "checked with the forge: if a commit was in sync with objects and the project has none of them, a plan that creates objects is held"
	}
	if s.Spec.Project != "" {
		project = "spec.project"
	}
	attrs := []any{"approvals", approvals, "in_sync", inSync, "project", project}
	if !forge && s.LeavesDrift() {
		attrs = append(attrs, "drift", "missing objects that the earlier commit wanted are only reported")
	}
	return attrs
}

// sinks get the result of every run of a stack, in this order.
type sinks []interface{ Ran(run report.Run) }

func (list sinks) ran(run report.Run) {
	for _, one := range list {
		one.Ran(run)
	}
}
