package store

import (
	"context"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// CheckComplete checks that the store has all objects of a commit. The error is ErrIncomplete if
// one is missing.
func (s *Store) CheckComplete(ctx context.Context, c *object.Commit) error {
	return s.checkTree(ctx, c.TreeHash, 0)
}

func (s *Store) checkTree(ctx context.Context, h plumbing.Hash, depth int) error {
	if s.complete[h] {
		return nil
	}
	if depth > MaxTreeDepth {
		return ErrTooDeep
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t, err := s.Tree(h)
	if err != nil {
		return err
	}
	for _, e := range t.Entries {
		switch e.Mode {
		case filemode.Submodule:
		case filemode.Dir:
			if err := s.checkTree(ctx, e.Hash, depth+1); err != nil {
				return err
			}
		default:
			if !s.has(e.Hash) {
				return fmt.Errorf("%w: %s", ErrIncomplete, e.Hash)
			}
		}
	}
	s.complete[h] = true
	return nil
}
