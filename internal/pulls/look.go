package pulls

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/private"
)

// mostFailed is how many pull requests in a row may be unreadable before the
// forge is taken to be away.
const mostFailed = 3

// Look reads every open pull request, owes the forge what is to be answered, and
// finds out what each stack has to plan. What holds a branch comes first. Its
// error is that the forge could not be read; a pull request that cannot be read
// stops no other.
func (r *Repository) Look(ctx context.Context) error {
	stale := r.stale(time.Now())
	open, failed, part := map[int]bool{}, error(nil), false
	for _, s := range r.stacks {
		if err := s.lookAtHeld(ctx, open); err != nil {
			failed = err
		}
	}
	branches := r.branches()
	for _, branch := range slices.Sorted(maps.Keys(branches)) {
		pulls, err := r.Forge.Open(ctx, branch)
		if errors.Is(err, forge.ErrTooMany) {
			r.complain("there are more open pull requests than are read; the newest are not planned", err)
			part = true
		} else if err != nil {
			failed = fmt.Errorf("list pull requests into %s: %w", branch, err)
			continue
		}
		for _, pull := range pulls {
			open[pull.Number] = true
		}
		if err := r.pulls(ctx, pulls, branches[branch], stale); err != nil {
			return err
		}
	}
	if failed == nil && !part {
		failed = r.goodbye(ctx, open)
	}
	if failed == nil && !part {
		r.forget(open)
	}
	return failed
}

// rank is when a pull request's turn comes: first what has news, last what could
// not be read the last time.
func (r *Repository) rank(pull forge.Pull) int {
	t := r.talkOf(pull.Number)
	switch {
	case t.failed:
		return 2
	case t.updated.Equal(pull.Updated) && r.fresh(pull.Number, t.read):
		return 1
	}
	return 0
}

// pulls looks at the open pull requests of a branch.
func (r *Repository) pulls(ctx context.Context, pulls []forge.Pull, stacks []*Stack, stale time.Time) error {
	slices.SortStableFunc(pulls, func(a, b forge.Pull) int { return r.rank(a) - r.rank(b) })
	row := 0
	known := map[string]bool{} // heads that somebody who may push has pushed
	for _, pull := range pulls {
		known[pull.Head] = known[pull.Head] || !pull.Fork
	}
	for _, pull := range pulls {
		err := r.pull(ctx, pull, known[pull.Head], stacks, stale)
		t := r.talkOf(pull.Number)
		if err == nil {
			row, t.failed = 0, false
			continue
		}
		var limited *forge.LimitedError
		if t.failed = true; ctx.Err() != nil || errors.As(err, &limited) {
			return err
		}
		if !errors.Is(err, forge.ErrNotFound) { // it has just gone
			r.complain(fmt.Sprintf("pull request %d cannot be read", pull.Number), err)
		}
		if errors.Is(err, forge.ErrUnavailable) {
			if row++; row >= mostFailed {
				return err
			}
			time.AfterFunc(retryPlan, r.Wake)
		}
	}
	return nil
}

// complain logs what a person has to mend, once until it is something else.
func (r *Repository) complain(what string, err error) {
	r.mu.Lock()
	before, text := r.complaints[what], private.Text(err)
	if len(r.complaints) > 1000 {
		clear(r.complaints)
	}
	r.complaints[what] = text
	r.mu.Unlock()
	if before != text {
		r.Log.Warn(what, "error", err)
	}
}

// stale is the time before which plans are out of date.
func (r *Repository) stale(now time.Time) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if due := r.moved.due(); !due.IsZero() && !now.Before(due) {
		r.outdated, r.moved = now, moved{}
	}
	return r.outdated
}

// branches are those that stacks follow, with their stacks. A stack whose
// repository was not seen yet is left out.
func (r *Repository) branches() map[string][]*Stack {
	list := map[string][]*Stack{}
	for _, s := range r.stacks {
		if rev, ok := s.Last(); ok {
			list[rev.Branch] = append(list[rev.Branch], s)
		}
	}
	return list
}

// pull looks at one pull request: what people say, and what each stack has to.
func (r *Repository) pull(ctx context.Context, pull forge.Pull, known bool, stacks []*Stack, stale time.Time) error {
	t, err := r.talk(ctx, pull)
	if err != nil {
		return err
	}
	for _, s := range stacks {
		s.ask(pull, t, known, stale, time.Now())
	}
	return ctx.Err()
}

// forget lets go of pull requests that are neither open nor held.
func (r *Repository) forget(open map[int]bool) {
	for _, s := range r.stacks {
		s.mu.Lock()
		maps.DeleteFunc(s.plans, func(number int, _ planned) bool { return !open[number] })
		maps.DeleteFunc(s.jobs, func(number int, _ job) bool { return !open[number] })
		s.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.talks, func(number int, _ *talk) bool { return !open[number] })
	maps.DeleteFunc(r.changed, func(number int, _ time.Time) bool { return !open[number] })
}
