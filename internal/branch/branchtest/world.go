// Package branchtest is a world to test branches and pull requests in.
package branchtest

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stackreeve/stackreeve/internal/branch"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/schedule"
)

// World is a repository on a forge, a branch, and a cloud. The words in a commit's file are the steps of its plan, so the test decides
// about the plans.
type World struct {
	*testing.T
	Forge  *forgetest.Memory
	Repo   *review.Repository
	Review *review.Planner
	Branch *branch.Tracker

	Mu       sync.Mutex
	Base     string            // the branch's newest commit
	Files    map[string]string // the text in the file of each commit.
	Gone     string            // a word that is in files, but already done in the cloud
	Plans    int               // number of plans made.
	CloudErr error             // error of every plan
	Again    int               // number of passes that were requested
	Stop     func()            // ends the loops that Serve started

	stacks []*review.Planner // the stacks of the repository
}

// In runs a test in a world with its own clock.
func In(t *testing.T, test func(w *World)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &World{T: t, Forge: forgetest.NewMemory("ann"), Base: Sha("base"), Files: map[string]string{}}
		w.Restart()
		test(w)
	})
}

// Restart replaces the agent by a new one without any knowledge, as after a start with an empty disk.
func (w *World) Restart() {
	w.Review = w.stack("prod", func() { w.Again++ })
	w.Repo = review.New(w.Forge.Forge(), slog.New(slog.DiscardHandler))
	w.Repo.Add(w.Review, schedule.Schedule{})
	w.stacks = []*review.Planner{w.Review}
	w.Branch = branch.New(w.Repo, w.Review)
}

func (w *World) stack(name string, again func()) *review.Planner {
	return &review.Planner{Name: name, Last: w.last, Merged: w.merged, Read: w.read, Plan: w.plan, PlanSealed: w.plan, Again: again}
}

// Restored reports whether a new process learns from the forge that a commit is in sync.
func (w *World) Restored(commit string) bool {
	w.Helper()
	synced, err := w.Branch.Restore(w.Context(), commit)
	if err != nil {
		w.Error(err)
	}
	return synced
}

// Visit makes one visit and delivers the reports.
func (w *World) Visit() {
	w.Helper()
	if err := w.Repo.Once(w.Context()); err != nil {
		w.Error(err)
	}
}

// Failing makes the forge answer the given requests with an error.
func (w *World) Failing(err error, requests ...string) {
	w.Forge.Answer(func(request, about string) error {
		for _, one := range requests {
			if one == request || one == request+" "+about {
				return err
			}
		}
		return nil
	})
}

// Another adds a second stack to the same repository.
func (w *World) Another(name string, poll schedule.Schedule) *review.Planner {
	s := w.stack(name, func() {})
	w.Repo.Add(s, poll)
	w.stacks = append(w.stacks, s)
	return s
}

// Serve runs the loops of the stacks and of the repository until Stop is called.
func (w *World) Serve() {
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan struct{})
	var all sync.WaitGroup
	for _, s := range w.stacks {
		all.Go(func() { s.Serve(ctx) })
	}
	go func() { w.Repo.Serve(ctx); all.Wait(); close(done) }()
	w.Stop = func() { cancel(); <-done }
	synctest.Wait()
}
