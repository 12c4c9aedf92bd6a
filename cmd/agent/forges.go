package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/branch"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/file"
	"github.com/stackreeve/stackreeve/internal/forge/gitea"
	"github.com/stackreeve/stackreeve/internal/forge/github"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/source"
)

// forges are the places that stacks report to. Stacks that are kept in one
// repository share it.
type forges struct {
	log     *slog.Logger
	metrics *report.Metrics // nil when nobody reads them
	list    []*review.Repository
	at      map[forgeKey]*review.Repository
	fence   func() error // asked before each write; nil for none
	forget  []func()     // take away what metrics say of them
}

// reports are what one stack has at the forges that it reports to.
type reports struct {
	branches []*branch.Tracker // are to hear of its passes
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

// close has the forges know the stack no more, and frees what its pull requests were fetched into.
func (r *reports) close() {
	for _, leave := range r.leave {
		leave()
	}
}

// forgeKey is what stacks have to have in common to share a repository.
type forgeKey struct{ kind, url, repository, credentials string }

func newForges(log *slog.Logger, metrics *report.Metrics) *forges {
	return &forges{log: log, metrics: metrics, at: map[forgeKey]*review.Repository{}}
}

func (f *forges) observe(repository string, e forge.Exchange) {
	if f.metrics != nil {
		f.metrics.Forge(repository, e)
	}
}

// reach opens the forges that a stack reports to, before any is served.
func (f *forges) reach(s *config.Stack) error {
	for _, t := range f.targets(s) {
		if _, err := f.open(t); err != nil {
			return err
		}
	}
	return nil
}

// add makes a stack report where its configuration says, and its pull requests are
// reviewed. again asks for another pass. Forges that are served already have been reached before.
func (f *forges) add(w wiring, s *config.Stack, repo *source.Repo, again func()) (*reports, error) {
	made := &reports{}
	for _, t := range f.targets(s) {
		r, err := f.open(t)
		if err != nil {
			made.close()
			return nil, err
		}
		// Whatever a pull request brings, the branch does not wait for it.
		theirs, err := w.repo(s, forPulls)
		if err != nil {
			made.close()
			return nil, err
		}
		look := w.previewer(s)
		look.base = repo.Last
		one := &review.Planner{
			Name: s.Name, Last: repo.Last, Merged: theirs.Merged, Read: look.read, Plan: look.plan,
			Again: again, PlanForks: s.Spec.Report.PlansForks(),
		}
		if f.metrics != nil {
			one.Observe = func(result string, took time.Duration) { f.metrics.Planned(s.Name, result, took) }
		}
		r.Add(one, s.PullPoll)
		made.leave = append(made.leave, func() { r.Remove(one); _ = theirs.Close() }) // a cache
		made.planners, made.branches = append(made.planners, one), append(made.branches, branch.New(r, one))
	}
	return made, nil
}

// open is the repository of a target, which stacks share.
func (f *forges) open(t target) (*review.Repository, error) {
	if r := f.at[t.forgeKey]; r != nil {
		return r, nil
	}
	made, err := t.open()
	if err != nil {
		return nil, err
	}
	name := cmp.Or(t.repository, t.url)
	r := review.New(made, f.log.With("repository", name))
	if f.metrics != nil {
		f.forget = append(f.forget, f.metrics.Undelivered(name, r.Outbox.Len))
	}
	f.at[t.forgeKey], f.list = r, append(f.list, r)
	return r, nil
}

// target is one place that a stack reports to.
type target struct {
	forgeKey
	open func() (forge.Forge, error)
}

// targets lists a stack's, forges first.
func (f *forges) targets(s *config.Stack) (list []target) {
	if g := s.Spec.Report.GitHub; g != nil {
		credentials := g.TokenFile
		if g.App != nil {
			credentials = g.App.PrivateKeyFile
		}
		list = append(list, target{forgeKey{"github", g.APIURL, g.Repository, credentials}, func() (forge.Forge, error) { return f.github(g) }})
	}
	if g := s.Spec.Report.Gitea; g != nil {
		list = append(list, target{forgeKey{"gitea", g.URL, g.Repository, g.TokenFile}, func() (forge.Forge, error) { return f.gitea(g) }})
	}
	if to := s.Spec.Report.File; to != nil {
		list = append(list, target{forgeKey{kind: "file", url: to.Path}, func() (forge.Forge, error) { return file.New(to.Path), nil }})
	}
	return list
}

func (f *forges) github(g *config.GitHub) (forge.Forge, error) {
	c := github.Config{
		Repository: g.Repository, APIURL: g.APIURL, RequestsPerHour: g.RequestsPerHour,
		Observe: func(e forge.Exchange) { f.observe(g.Repository, e) }, Fence: f.fence,
	}
	if g.App != nil {
		c.App = &forge.App{AppID: g.App.AppID, InstallationID: g.App.InstallationID, PrivateKeyFile: g.App.PrivateKeyFile, APIURL: g.APIURL}
	} else {
		c.Token = forge.FileToken(g.TokenFile)
	}
	return github.New(c)
}

func (f *forges) gitea(g *config.Gitea) (forge.Forge, error) {
	return gitea.New(gitea.Config{
		URL: g.URL, Repository: g.Repository, CAFile: g.CAFile, Token: forge.FileToken(g.TokenFile), RequestsPerHour: g.RequestsPerHour,
		Observe: func(e forge.Exchange) { f.observe(g.Repository, e) }, Fence: f.fence,
	})
}

// serve visits pull requests until ctx ends.
func (f *forges) serve(ctx context.Context) {
	var all sync.WaitGroup
	for _, r := range f.list {
		all.Go(func() { r.Serve(ctx) })
	}
	all.Wait()
}

// endTime is how long a process that ends goes on posting to forges.
const endTime = 10 * time.Second

// flush posts to the forges what is pending.
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

// close ends what metrics say.
func (f *forges) close() {
	for _, forget := range f.forget {
		forget()
	}
}

// once reviews pull requests a single time.
func (f *forges) once(ctx context.Context) error {
	var all sync.WaitGroup
	failed := make([]error, len(f.list))
	for i, r := range f.list {
		all.Go(func() { failed[i] = r.Once(ctx) })
	}
	all.Wait()
	return errors.Join(failed...)
}

// watching are branches as watchers of passes.
func watching(branches []*branch.Tracker) (list []engine.Watcher) {
	for _, b := range branches {
		list = append(list, b)
	}
	return list
}
