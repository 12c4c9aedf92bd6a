package pulls

import (
	"context"
	"time"

	"github.com/stackreeve/stackreeve/internal/report/comment"
)

// goodbye takes back what was said on pull requests that ask for another branch
// by now.
func (r *Repository) goodbye(ctx context.Context, open map[int]bool) error {
	for _, s := range r.stacks {
		for _, number := range s.gone(open) {
			pull, err := r.Forge.Pull(ctx, number)
			if later(err) {
				return err
			}
			if rev, ok := s.Last(); err != nil || !ok || !pull.Open || pull.Base == rev.Branch {
				continue
			}
			page := comment.Page{Stack: s.Name, Number: number, Head: pull.Head, Base: pull.Base, Quiet: true}
			s.post(page, job{pull: pull}, time.Now(), false)
		}
	}
	return nil
}

// gone are the pull requests that were planned and are not open into the branch
// any more.
func (s *Stack) gone(open map[int]bool) (numbers []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for number := range s.plans {
		if !open[number] {
			numbers = append(numbers, number)
		}
	}
	return numbers
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
	t := r.talkOf(pull.Number)
	if err := r.converse(ctx, pull.Number, t, comments); err != nil {
		return err
	}
	if len(covering(approved(t.said, t.ours, s.Name, s.merged(pull, held.Commit)), *held)) > 0 {
		s.Again()
	}
	return nil
}
