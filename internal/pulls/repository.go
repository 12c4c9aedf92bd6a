// Package pulls is the cycle of pull requests, and of what a branch is told:
// each open pull request is planned against the live cloud, read-only, and
// answered; what people ask for in comments is done; what came of a merge, and
// what drifted since, is said where they look.
//
//	poll, webhook, merge, drift ──▶ look ──▶ pages (pure) ──▶ outbox ──▶ statuses, comments, checks
//	                                 ▲                                        │
//	                                 └──────────── read back ◀────────────────┘
//
// Everything is level-triggered: an event only says when to look, what is wanted
// is compared with what the forge holds, and what differs is written. Nothing
// that matters is remembered: approvals are comments, and are read again.
//
// It knows plans and forges, and neither Git nor the cloud: what does I/O with
// those comes in as functions.
package pulls

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/schedule"
)

// Repository is one repository on a forge and the stacks that are kept in it.
// Its exported fields are read-only once it is in use.
type Repository struct {
	Forge  forge.Forge
	Board  *forge.Board
	Outbox *forge.Outbox
	Log    *slog.Logger

	polls  []schedule.Schedule
	stacks []*Stack
	people people
	// noChecks is set once the forge took no check run.
	noChecks atomic.Bool
	wake     chan struct{}

	mu       sync.Mutex
	moved    moved
	outdated time.Time // plans from before are out of date
	talks    map[int]*talk
	// changed is when conversations were last known to have changed, and
	// complaints what was last said about what a person has to mend.
	changed    map[int]time.Time
	complaints map[string]string
}

// settle is how long a branch and its cloud must be quiet before open pull
// requests are planned again, and patience how long that can be put off.
const (
	settle   = 10 * time.Second
	patience = 2 * time.Minute
)

// moved remembers that plans may be out of date.
type moved struct{ first, last time.Time }

// due is when to plan again; zero when nothing has moved.
func (m moved) due() time.Time {
	if m.first.IsZero() {
		return time.Time{}
	}
	quiet, latest := m.last.Add(settle), m.first.Add(patience)
	if quiet.Before(latest) {
		return quiet
	}
	return latest
}

// New is a repository without stacks.
func New(f forge.Forge, log *slog.Logger) *Repository {
	return &Repository{
		Forge: f, Board: forge.NewBoard(f), Outbox: forge.NewOutbox(log), Log: log,
		people: people{forge: f, log: log}, wake: make(chan struct{}, 1), talks: map[int]*talk{},
		changed: map[int]time.Time{}, complaints: map[string]string{},
	}
}

// Add adds a stack, before anything is served. poll says when to look without
// being told to.
func (r *Repository) Add(s *Stack, poll schedule.Schedule) {
	s.repository = r
	s.plans, s.jobs, s.more = map[int]planned{}, map[int]job{}, make(chan struct{}, 1)
	r.stacks = append(r.stacks, s)
	r.polls = append(r.polls, poll)
}

// Wake says that pull requests or their comments may have changed.
func (r *Repository) Wake() { signal(r.wake) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // one is waiting already
	}
}

// Moved says that a branch or its cloud is not what plans were made for.
func (r *Repository) Moved(now time.Time) {
	r.mu.Lock()
	r.moved = moved{first: cmp.Or(r.moved.first, now), last: now}
	r.mu.Unlock()
	r.Wake()
}

// Serve looks at once, then whenever the schedule or [Repository.Wake] says so,
// until ctx ends.
func (r *Repository) Serve(ctx context.Context) {
	var others sync.WaitGroup
	others.Go(func() { r.Outbox.Serve(ctx) })
	for _, poll := range r.polls {
		others.Go(func() { schedule.Run(ctx, poll, time.Second, r.Wake) })
	}
	for _, s := range r.stacks {
		others.Go(func() { s.serve(ctx) })
	}
	defer others.Wait()
	var rest rest
	for ctx.Err() == nil {
		rest.after(r.Look(ctx), time.Now())
		r.next(ctx, rest)
	}
}

// next waits for the next reason to look.
func (r *Repository) next(ctx context.Context, rest rest) {
	r.mu.Lock()
	due := r.moved.due()
	r.mu.Unlock()
	wake := r.wake
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

// rest is the pause after a forge that could not be read.
type rest struct {
	failures int
	until    time.Time
}

const (
	firstRest = 5 * time.Second
	longRest  = 5 * time.Minute
)

func (r *rest) after(err error, now time.Time) {
	if err == nil {
		*r = rest{}
		return
	}
	r.failures++
	r.until = now.Add(backoff.Pause(firstRest, longRest, r.failures))
	var limited *forge.LimitedError
	if errors.As(err, &limited) && limited.Until.After(r.until) {
		r.until = limited.Until
	}
}

// branchTime is what telling the branch may take before pull requests are
// looked at, and endTime what is left for telling at the end, however long they
// took.
const (
	branchTime = time.Minute
	endTime    = 10 * time.Second
)

// Once looks a single time and delivers what is owed, as long as ctx allows.
func (r *Repository) Once(ctx context.Context) error {
	r.flush(ctx, branchTime)
	err := r.Look(ctx)
	var plans sync.WaitGroup
	for _, s := range r.stacks {
		plans.Go(func() { s.work(ctx) })
	}
	plans.Wait()
	told := false
	if ctx.Err() == nil {
		told = r.Outbox.Flush(ctx)
	} else {
		told = r.flush(context.WithoutCancel(ctx), endTime)
	}
	if !told && err == nil {
		err = errors.New("not everything could be told to the forge")
	}
	return err
}

func (r *Repository) flush(ctx context.Context, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return r.Outbox.Flush(ctx)
}
