// Package branch reports the state of a stack's branch, on its commits and on the pull requests with which they were merged. It writes the
// sync status and the outcome of each pass, the drift status and the comments about drift.
//
//	pass ──▶ state (what is known: pure) ──▶ decision ──▶ outbox ──▶ statuses, comments
//	              ▲                                         │
//	              └───── read back when it is delivered ◀───┘
//
// A pass never waits for the forge. A decision is put into the outbox, and at its delivery it is compared with the forge's state. The
// package stores nothing that would be lost with the process: a new process reads its reports back (internal/forge/memory).
package branch

import (
	"context"
	"fmt"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/review"
)

// Tracker follows the branch of one stack and reports on it. It is a sink, and an [engine.Watcher].
type Tracker struct {
	repository *review.Repository
	review     *review.Planner
	state      state
}

// New returns a tracker for a stack of the repository. It knows nothing yet.
func New(r *review.Repository, s *review.Planner) *Tracker {
	return &Tracker{repository: r, review: s}
}

// Planned implements engine.Watcher: a pass begins.
func (s *Tracker) Planned(p plan.Plan, _ preflight.Findings) {
	newest, known := s.review.Last()
	parent := ""
	if known && newest.Commit == p.Commit {
		parent = newest.Parent
	}
	d := s.state.planned(p, parent, time.Now())
	s.reportDrift(d.drift)
	// If the newest commit is refused, the older commit that the cloud is kept at gets no pending status, because nothing would report the
	// end of its pass.
	if d.begins && (!known || newest.Commit == p.Commit) {
		s.postPending(p)
	}
}

// Started implements engine.Watcher. From now on, the cloud does not equal any earlier commit, even if the pass fails.
func (s *Tracker) Started(plan.Step) {
	if replaced, by := s.state.started(); replaced != "" {
		s.postReplaced(replaced, by)
	}
}

// Finished implements engine.Watcher.
func (s *Tracker) Finished(engine.Result) {}

// Progress implements engine.Watcher.
func (s *Tracker) Progress(p engine.Progress) {
	due, works := s.state.progressed(time.Now())
	if rev, ok := s.review.Last(); due && ok && rev.Commit == works && p.Total > 0 {
		s.postProgress(works, p)
	}
}

// Ran reports the result of a run. It is a sink.
func (s *Tracker) Ran(run report.Run) {
	rev, known := s.review.Last()
	d := s.state.ran(run, rev.Branch, known)
	if !run.Limited() { // the plan of the whole stack stays held
		s.review.SetHeld(d.held)
	}
	if d.outdatesPlans {
		s.repository.Outdate(time.Now())
	}
	if d.wakesReview {
		s.repository.Wake()
	}
	if d.replaced != "" {
		s.postReplaced(d.replaced, d.by)
	}
	if d.outcome != nil {
		s.postOutcome(*d.outcome)
	}
	s.reportDrift(d.drift)
}

// Restore reports whether the forge knows that a commit was applied and is still the last applied one. If so, it stores that. A new process
// with an empty disk has no other source. An error means that the forge does not answer. If the forge forbids reading, the result is false.
func (s *Tracker) Restore(ctx context.Context, commit string) (synced bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, review.ForgeTime)
	defer cancel()
	was, err := s.syncStatus(ctx, commit)
	switch {
	case err != nil && (review.TryLater(err) || ctx.Err() != nil):
		return false, err
	case err != nil || was.Is != memory.InSync:
		return false, nil
	}
	s.state.restore(commit)
	return true, nil
}

// Existed reports whether the forge knows that a commit was in sync (known), and whether the commit had any object then (any).
func (s *Tracker) Existed(ctx context.Context, commit string) (known, any bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, review.ForgeTime)
	defer cancel()
	was, err := s.syncStatus(ctx, commit)
	switch {
	case err != nil:
		return false, false, err
	case was.Is == memory.InSync:
		return true, was.Objects > 0, nil
	case was.Is == memory.WasInSync:
		return true, true, nil
	}
	return false, false, nil
}

// syncStatus returns the sync status of a commit at the forge.
func (s *Tracker) syncStatus(ctx context.Context, commit string) (memory.Status, error) {
	status, _, err := s.repository.Board.Get(ctx, commit, s.context("sync"))
	if err != nil {
		s.repository.Complain("the forge cannot be asked whether a commit was in sync", err)
		return memory.Status{}, err
	}
	return memory.ParseStatus(status), nil
}

// Approvals returns the approvals in the pull request with which a commit was merged.
func (s *Tracker) Approvals(ctx context.Context, commit string) []plan.Approval {
	return s.review.Approvals(ctx, commit)
}

// context returns the name of a status.
func (s *Tracker) context(about string) string { return review.Context(s.review.Name, about) }

// put queues a report about a commit. It replaces a report about the same thing that is still queued.
func (s *Tracker) put(about, commit string, deliver func(context.Context) error) {
	s.repository.Outbox.Put(fmt.Sprintf("%s %s %s", about, s.review.Name, report.Short(commit)), deliver)
}

// set writes the status that has the given meaning.
func (s *Tracker) set(ctx context.Context, commit, about string, status memory.Status, url string) error {
	_, err := s.repository.Board.Set(ctx, commit, s.status(about, status, url))
	return err
}

// status returns the status that has the given meaning.
func (s *Tracker) status(about string, status memory.Status, url string) forge.Status {
	out := status.Forge()
	out.Context, out.URL = s.context(about), url
	return out
}
