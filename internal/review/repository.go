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

// Repository is one repository on a forge and the stacks in it. Its exported fields are read-only after the
// first use.
type Repository struct {
	Forge  forge.Forge
	Board  *forge.Board
	Outbox *outbox.Outbox
	Log    *slog.Logger

	mu     sync.Mutex
	stacks []*Planner
	wake   chan struct{}
	// noChecks is set once the forge has refused a check run.
	noChecks atomic.Bool

	people        people
	conversations conversations
	outdated      outdating
	complaints    complaints
}

// New returns a repository without stacks.
func New(f forge.Forge, log *slog.Logger) *Repository {
	return &Repository{
		Forge: f, Board: forge.NewBoard(f), Outbox: outbox.New("the forge", forge.Judge, log), Log: log,
		people: people{forge: f.Rights, log: log}, wake: make(chan struct{}, 1),
	}
}

// Add adds a stack. [Planner.Serve] makes its plans. poll is the schedule of visits that need no event.
func (r *Repository) Add(s *Planner, poll schedule.Schedule) {
	s.repository, s.queue, s.poll = r, newQueue(), poll
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stacks = append(slices.Clip(r.stacks), s)
}

// Remove removes a stack. Its comments and statuses stay.
func (r *Repository) Remove(s *Planner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stacks = slices.DeleteFunc(slices.Clone(r.stacks), func(o *Planner) bool { return o == s })
}

// all returns the current stacks.
func (r *Repository) all() []*Planner {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stacks
}

// Wake signals that pull requests or their comments may have changed. For example, polls ([Planner.Serve]), webhooks (package
// service) and [Repository.Outdate] call it.
func (r *Repository) Wake() { signal(r.wake) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a signal is pending already
	}
}

// Outdate records that a branch or its cloud has changed since plans were made. Package branch calls it after a pass.
func (r *Repository) Outdate(now time.Time) {
	r.outdated.outdate(now)
	r.Wake()
}

// Notify signals that this pull request or its comments may have changed.
func (r *Repository) Notify(number int) {
	r.Invalidate(number)
	r.Wake()
}

// Invalidate makes the next visit read the comments of a pull request again.
func (r *Repository) Invalidate(number int) { r.conversations.invalidate(number, time.Now()) }

// Serve makes a visit immediately and after each [Repository.Wake], until ctx ends.
func (r *Repository) Serve(ctx context.Context) {
	var others sync.WaitGroup
	others.Go(func() { r.Outbox.Serve(ctx) })
	defer others.Wait()
	var rest pause
	for ctx.Err() == nil {
		rest = rest.after(r.Visit(ctx), time.Now())
		r.wait(ctx, rest)
	}
}

// wait returns when it is time for the next visit.
func (r *Repository) wait(ctx context.Context, rest pause) {
	due, wake := r.outdated.due(), r.wake
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

// branchTime is the time limit for reports about the branch before pull requests are visited. endTime is the time limit for the last
// reports, after ctx has ended.
const (
	branchTime = time.Minute
	endTime    = 10 * time.Second
)

// Once makes one visit, plans, and delivers the pending reports. If ctx ends before that, there is a short
// time for the last reports.
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

// Complain logs an error that a person must correct. It logs the error again only after it has changed.
func (r *Repository) Complain(what string, err error) {
	if r.complaints.note(what, private.Text(err)) {
		r.Log.Warn(what, "error", err)
	}
}

// complaints stores the last logged error for each text of a complaint.
type complaints struct {
	mu   sync.Mutex
	last map[string]string
}

const maxComplaints = 1000 // maximum number of complaints that are remembered

// note stores a complaint and reports whether it differs from the last one.
func (c *complaints) note(what, text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil || len(c.last) > maxComplaints {
		c.last = map[string]string{}
	}
	before := c.last[what]
	c.last[what] = text
	return before != text
}
