package store

import (
	"errors"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// ErrIncomplete is the error for an object that a commit needs and the store does not have.
var ErrIncomplete = errors.New("object missing from the store")

// Commit reads a commit. h may also be an annotated tag of the commit. The error is ErrIncomplete
// if the tag or the commit is not in the store.
func (s *Store) Commit(h plumbing.Hash) (*object.Commit, error) {
	for range 8 {
		o, err := s.object(plumbing.AnyObject, h)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrIncomplete, h, err)
		}
		if err := checkSize(o.Type(), h, o.Size()); err != nil {
			return nil, err
		}
		switch o.Type() {
		case plumbing.CommitObject:
			c, err := object.DecodeCommit(nil, o)
			if err != nil {
				return nil, failure.New(failure.ErrContent, "commit %s is malformed: %s", h, err)
			}
			return c, nil
		case plumbing.TagObject:
			tag, err := object.DecodeTag(nil, o)
			if err != nil {
				return nil, failure.New(failure.ErrContent, "tag %s is malformed: %s", h, err)
			}
			h = tag.Target
		default:
			return nil, failure.New(failure.ErrNotFound, "%s is a %s, not a commit; name a branch, a tag or a commit", h, o.Type())
		}
	}
	return nil, failure.New(failure.ErrContent, "the tag leads to its commit through too many other tags; name the commit itself")
}

// Raw returns the type and the bytes of a commit or a tag. They are checked against the hash, because signatures cover exactly these bytes.
func (s *Store) Raw(h plumbing.Hash) (t plumbing.ObjectType, text []byte, err error) {
	o, err := s.object(plumbing.AnyObject, h)
	if err != nil {
		return t, nil, fmt.Errorf("%w: %s: %w", ErrIncomplete, h, err)
	}
	if err := checkSize(o.Type(), h, o.Size()); err != nil {
		return t, nil, err
	}
	if text, err = content(o); err != nil {
		return t, nil, fmt.Errorf("%w: %s: %w", ErrIncomplete, h, err)
	}
	if plumbing.ComputeHash(o.Type(), text) != h {
		s.broken.Store(true)
		return t, nil, fmt.Errorf("%w: %s has different content", ErrIncomplete, h)
	}
	return o.Type(), text, nil
}

// Tree reads one folder. The error is ErrIncomplete if the folder is not in the store.
func (s *Store) Tree(h plumbing.Hash) (*object.Tree, error) {
	o, err := s.object(plumbing.TreeObject, h)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrIncomplete, h, err)
	}
	if err := checkSize(o.Type(), h, o.Size()); err != nil {
		return nil, err
	}
	t, err := object.DecodeTree(nil, o)
	if err != nil {
		return nil, failure.New(failure.ErrContent, "tree %s is malformed: %s", h, err)
	}
	return t, nil
}

// checkSize returns an error for an object that needs too much memory to be read.
func checkSize(t plumbing.ObjectType, h plumbing.Hash, size int64) error {
	limit := int64(maxObjectBytes)
	switch t {
	case plumbing.CommitObject, plumbing.TagObject:
		limit = maxTextBytes
	case plumbing.TreeObject:
		limit = maxTreeBytes
	}
	if size > limit {
		return failure.New(failure.ErrContent, "%s %s has %d bytes; at most %d are accepted", t, h, size, limit)
	}
	return nil
}
