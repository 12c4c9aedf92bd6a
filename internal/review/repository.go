// Package review is the cycle of pull requests: each open one is read, planned
// against the live cloud, read-only, and answered; what people ask for in its
// comments is done.
//
//	poll, webhook, merge, drift ──▶ visit ──▶ queue ──▶ page (pure) ──▶ outbox ──▶ status, comment, check
//	                                  ▲                                              │
//	                                  └──────────────── read back ◀──────────────────┘
//
// Everything is level-triggered: an event only says when to visit, what is wanted
// is compared with what the forge holds, and what differs is written. Nothing
// that matters is remembered here: approvals are comments, and are read again.
//
// It knows plans and forges, and neither Git nor the cloud: what does I/O with
// those comes in as functions. What is said of the branch is internal/branch.
package review

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/outbox"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/schedule"
)

// Repository is one repository on a forge and the stacks that are kept in it.
// Its exported fields are read-only once it is in use.
type Repository struct {
	Forge  forge.Forge
	Board  *forge.Board
	Outbox *outbox.Outbox
	Log    *slog.Logger

	mu     sync.Mutex
	stacks []*Planner
	wake   chan struct{}
	// noChecks is set once the forge took no check run.
	noChecks atomic.Bool

	people        people
	conversations conversations
	age           planAge
	complaints    complaints
}

// New is a repository without stacks.
func New(f forge.Forge, log *slog.Logger) *Repository {
	return &Repository{
		Forge: f, Board: forge.NewBoard(f), Outbox: outbox.New("the forge", forge.Judge, log), Log: log,
		people: people{forge: f.Rights, log: log}, wake: make(chan struct{}, 1),
	}
}

// Add adds a stack, whose plans [Planner.Serve] makes. poll says when to visit without an event.
func (r *Repository) Add(s *Planner, poll schedule.Schedule) {
	s.repository, s.queue, s.poll = r, newQueue(), poll
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stacks = append(slices.Clip(r.stacks), s)
}

// Remove takes a stack away that was added. What it has said stays.
func (r *Repository) Remove(s *Planner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stacks = slices.DeleteFunc(slices.Clone(r.stacks), func(o *Planner) bool { return o == s })
}

// all are the stacks that there are now.
func (r *Repository) all() []*Planner {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stacks
}

// Wake says that pull requests or their comments may have changed.
func (r *Repository) Wake() { signal(r.wake) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // one is waiting already
	}
}

// Outdate says that a branch or its cloud is not what plans were made for.
func (r *Repository) Outdate(now time.Time) {
	r.age.outdate(now)
	r.Wake()
}

// Notify says that a pull request, or what people say there, may have changed.
func (r *Repository) Notify(number int) {
	r.Invalidate(number)
	r.Wake()
}

// Invalidate has a pull request's comments read again with the next visit.
func (r *Repository) Invalidate(number int) { r.conversations.invalidate(number, time.Now()) }

// Serve visits at once, then whenever [Repository.Wake] says so, until ctx ends.
func (r *Repository) Serve(ctx context.Context) {
	var others sync.WaitGroup
	others.Go(func() { r.Outbox.Serve(ctx) })
	defer others.Wait()
	var rest rest
	for ctx.Err() == nil {
		rest = rest.after(r.Visit(ctx), time.Now())
		r.wait(ctx, rest)
	}
}

// wait ends with the next reason to visit.
func (r *Repository) wait(ctx context.Context, rest rest) {
	due, wake := r.age.due(), r.wake
	if now := time.Now(); rest.until.After(now) {
		due, wake = rest.until, nil
	}
	var timed <-chan time.Time
	if !due.IsZero() {
		timer := time.NewTimer(time.Until(due))
		defer timer.Stop()
		timed = timer.C
	}
	select {
	case <-ctx.Done():
	case <-wake:
	case <-timed:
	}
}

// branchTime is what reporting the branch may take before pull requests are
// visited, and endTime what is left for reporting at the end, however long they
// took.
const (
	branchTime = time.Minute
	endTime    = 10 * time.Second
)

// Once visits a single time and delivers what is pending, as long as ctx allows.
func (r *Repository) Once(ctx context.Context) error {
	r.flush(ctx, branchTime)
	err := r.Visit(ctx)
	var plans sync.WaitGroup
	for _, s := range r.all() {
		plans.Go(func() { s.work(ctx) })
	}
	plans.Wait()
	delivered := false
	if ctx.Err() == nil {
		delivered = r.Outbox.Flush(ctx)
	} else {
		delivered = r.flush(context.WithoutCancel(ctx), endTime)
	}
	if !delivered && err == nil {
		err = errors.New("not everything could be posted to the forge")
	}
	return err
}

func (r *Repository) flush(ctx context.Context, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return r.Outbox.Flush(ctx)
}

// Complain logs what a person has to correct, once until it is something else.
func (r *Repository) Complain(what string, err error) {
	if r.complaints.note(what, private.Text(err)) {
		r.Log.Warn(what, "error", err)
	}
}

// complaints are what was last logged about each thing.
type complaints struct {
	mu   sync.Mutex
	last map[string]string
}

const mostComplaints = 1000 // that are remembered

// note keeps a complaint and reports whether it differs from the last one.
func (c *complaints) note(what, text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil || len(c.last) > mostComplaints {
		c.last = map[string]string{}
	}
	before := c.last[what]
	c.last[what] = text
	return before != text
}
