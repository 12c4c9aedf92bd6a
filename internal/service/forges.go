package service

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/branch"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/session"
)

// forges contains the forges that stacks report to. Stacks in the same repository share one [review.Repository].
type forges struct {
	log     *slog.Logger
	metrics *report.Metrics // nil if the process has no metrics
	list    []*review.Repository
	byKey   map[session.ForgeKey]*review.Repository
	fence   func() error // called before each write; nil if there is none
	forget  []func()     // functions that remove the metrics of the forges
}

// reports contains the parts of a stack that report to its forges.
type reports struct {
	branches []*branch.Tracker // receive the stack's passes
	planners []*review.Planner
	leave    []func()
}

// serve plans pull requests until ctx ends.
func (r *reports) serve(ctx context.Context) {
	var all sync.WaitGroup
	for _, p := range r.planners {
		all.Go(func() { p.Serve(ctx) })
	}
	all.Wait()
}

// close removes the stack from its forges, and closes the clones for its pull requests.
func (r *reports) close() {
	for _, leave := range r.leave {
		leave()
	}
}

func newForges(log *slog.Logger, metrics *report.Metrics) *forges {
	return &forges{log: log, metrics: metrics, byKey: map[session.ForgeKey]*review.Repository{}}
}

func (f *forges) reporting() session.Reporting {
	r := session.Reporting{Fence: f.fence}
	if f.metrics != nil {
		r.Observe = f.metrics.Forge
	}
	return r
}

// reach opens the forges that a stack reports to, before any stack is served.
func (f *forges) reach(s *config.Stack) error {
	for _, t := range f.reporting().Targets(s) {
		if _, err := f.open(t); err != nil {
			return err
		}
	}
	return nil
}

// add makes a stack report as its configuration says, and makes its pull requests be reviewed. again requests another pass. reach must have
// opened forges that are already served.
func (f *forges) add(o session.Opener, s *config.Stack, from session.Source, again func()) (*reports, error) {
	made := &reports{}
	for _, t := range f.reporting().Targets(s) {
		r, err := f.open(t)
		if err != nil {
			made.close()
			return nil, err
		}
		look := o.Previewer(s)
		look.Base = from.Last
		sealed := o
		sealed.Sealed = true
		strangers := sealed.Previewer(s)
		strangers.Base = from.Last
		one := &review.Planner{
			Name: s.Name, Last: from.Last, Read: strangers.Read, Plan: look.Plan, PlanSealed: strangers.Plan,
			Again: again, PlanForks: s.Spec.Report.PlansForks(),
		}
		end := func() {}
		if _, ok := session.Git(from); ok {
			// Pull requests have a separate clone, so that the branch never waits while one of them is fetched.
			theirs, err := o.Repo(s, session.ForPulls)
			if err != nil {
				made.close()
				return nil, err
			}
			one.Merged, one.Unsigned = theirs.Merged, session.Unsigned(s, theirs)
			end = func() { _ = theirs.Close() } // an error of Close does not matter, because the clone is a cache
		}
		if f.metrics != nil {
			one.Observe = func(result string, took time.Duration) { f.metrics.Planned(s.Name, result, took) }
		}
		r.Add(one, s.PullPoll)
		made.leave = append(made.leave, func() { r.Remove(one); end() })
		made.planners, made.branches = append(made.planners, one), append(made.branches, branch.New(r, one))
	}
	return made, nil
}

// open returns the repository of a target. Stacks with the same target share the repository.
func (f *forges) open(t session.Target) (*review.Repository, error) {
	if r := f.byKey[t.ForgeKey]; r != nil {
		return r, nil
	}
	made, err := t.Open()
	if err != nil {
		return nil, err
	}
	name := cmp.Or(t.Repository, t.URL)
	r := review.New(made, f.log.With("repository", name))
	if f.metrics != nil {
		f.forget = append(f.forget, f.metrics.Undelivered(name, r.Outbox.Len))
	}
	f.byKey[t.ForgeKey], f.list = r, append(f.list, r)
	return r, nil
}

// serve visits pull requests until ctx ends.
func (f *forges) serve(ctx context.Context) {
	var all sync.WaitGroup
	for _, r := range f.list {
		all.Go(func() { r.Serve(ctx) })
	}
	all.Wait()
}

// endTime is the time for which a process that is ending continues to post to forges.
const endTime = 10 * time.Second

// flush posts the pending reports to the forges.
func (f *forges) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	var all sync.WaitGroup
	for _, r := range f.list {
		all.Go(func() {
			if !r.Outbox.Flush(ctx) {
				r.Log.Warn("not everything could be posted to the forge", "left", r.Outbox.Len())
			}
		})
	}
	all.Wait()
}

// close removes the metrics of the forges.
func (f *forges) close() {
	for _, forget := range f.forget {
		forget()
	}
}

// once makes one review of the pull requests of every forge.
func (f *forges) once(ctx context.Context) error {
	var all sync.WaitGroup
	failed := make([]error, len(f.list))
	for i, r := range f.list {
		all.Go(func() { failed[i] = r.Once(ctx) })
	}
	all.Wait()
	return errors.Join(failed...)
}

// watchersOf returns branches as watchers of passes.
func watchersOf(branches []*branch.Tracker) (list []engine.Watcher) {
	for _, b := range branches {
		list = append(list, b)
	}
	return list
}
