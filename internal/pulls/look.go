package pulls

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/report/forge"
)

// talk is what was last read of a pull request's conversation.
type talk struct {
	updated  time.Time // the pull request's, when it was read
	settled  bool      // read once more since: times are in whole seconds
	comments []forge.Comment
	answered map[int64]bool
}

// Look reads every open pull request and owes the forge what is to be said. Its
// error is that the forge could not be read.
func (r *Repository) Look(ctx context.Context) error {
	stale := r.stale(time.Now())
	open := map[int]bool{}
	for branch, stacks := range r.branches() {
		pulls, err := r.Forge.Open(ctx, branch)
		if err != nil {
			return fmt.Errorf("list pull requests into %s: %w", branch, err)
		}
		for _, pull := range r.urgentFirst(pulls, stacks) {
			open[pull.Number] = true
			if err := r.pull(ctx, pull, stacks, stale); err != nil {
				if later(err) || ctx.Err() != nil {
					return err
				}
				r.Log.Error("a pull request cannot be read", "pull", pull.Number, "error", err)
			}
		}
	}
	for _, s := range r.stacks {
		if err := s.lookAtHeld(ctx, open); err != nil {
			return err
		}
	}
	r.forget(open)
	return nil
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

// urgentFirst puts new commits before plans that are only out of date.
func (r *Repository) urgentFirst(pulls []forge.Pull, stacks []*Stack) []forge.Pull {
	never := time.Time{}
	slices.SortStableFunc(pulls, func(a, b forge.Pull) int {
		rank := func(p forge.Pull) int {
			if slices.ContainsFunc(stacks, func(s *Stack) bool { return s.want(p, never, never, never) }) {
				return 0
			}
			return 1
		}
		return rank(a) - rank(b)
	})
	return pulls
}

// pull looks at one pull request: what people say, and what each stack has to.
func (r *Repository) pull(ctx context.Context, pull forge.Pull, stacks []*Stack, stale time.Time) error {
	t, news, err := r.talk(ctx, pull)
	if err != nil {
		return err
	}
	asked, err := r.converse(ctx, pull.Number, t)
	if err != nil {
		return err
	}
	approvals, err := r.approvals(ctx, t.comments)
	if err != nil {
		return err
	}
	for _, s := range stacks {
		if s.want(pull, asked, stale, time.Now()) || news && s.reapproved(pull.Number, approvals) {
			s.look(ctx, pull, asked, approvals)
		}
	}
	return ctx.Err()
}

// talk reads a conversation when it may have changed.
func (r *Repository) talk(ctx context.Context, pull forge.Pull) (t *talk, news bool, err error) {
	r.mu.Lock()
	t = r.talks[pull.Number]
	if t == nil {
		t = &talk{answered: map[int64]bool{}}
		r.talks[pull.Number] = t
	}
	r.mu.Unlock()
	if t.updated.Equal(pull.Updated) && t.settled {
		return t, false, nil
	}
	comments, err := r.Forge.Comments(ctx, pull.Number)
	if err != nil {
		return t, false, err
	}
	t.settled = t.updated.Equal(pull.Updated)
	t.updated, t.comments = pull.Updated, comments
	return t, true, nil
}

// forget lets go of pull requests that are neither open nor held.
func (r *Repository) forget(open map[int]bool) {
	for _, s := range r.stacks {
		s.mu.Lock()
		maps.DeleteFunc(s.plans, func(number int, _ planned) bool { return !open[number] })
		s.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.talks, func(number int, _ *talk) bool { return !open[number] })
}

// lookAtHeld sees whether what holds a branch was approved meanwhile.
func (s *Stack) lookAtHeld(ctx context.Context, open map[int]bool) error {
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if held == nil {
		return nil
	}
	r := s.repository
	comments, pull, err := s.conversation(ctx, held.Commit)
	switch {
	case later(err):
		return err
	case err != nil:
		return nil // it came without a pull request, or the forge does not say with which
	}
	open[pull.Number] = true // remember what was answered there
	r.mu.Lock()
	t := r.talks[pull.Number]
	if t == nil {
		t = &talk{answered: map[int64]bool{}}
		r.talks[pull.Number] = t
	}
	r.mu.Unlock()
	t.comments = comments
	if _, err := r.converse(ctx, pull.Number, t); err != nil {
		return err
	}
	approvals, err := r.approvals(ctx, comments)
	if err != nil {
		return err
	}
	if len(covering(approvals, s.Name, *held)) > 0 {
		s.Again()
	}
	return nil
}
