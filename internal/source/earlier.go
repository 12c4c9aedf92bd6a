package source

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// Earlier visits the commits that the branch was before commit, as its first
// parents tell: the newest first, at most so many, until visit says that it has
// seen enough. A commit whose files cannot be read is left out. Nothing is visited
// twice, and Last stays what it is.
//
// As much history is fetched as is visited, a little more perhaps, within the
// bounds of a merge.
func (r *Repo) Earlier(ctx context.Context, commit string, most int, visit func(Revision) (more bool)) error {
	w := walkBack{most: most, visit: visit, seen: map[plumbing.Hash]bool{}}
	return r.look(ctx, func(ctx context.Context, t *talk) error {
		name, _, err := findBranch(t.refs, r.cfg.Branch)
		if err != nil {
			return err
		}
		if w.name = name; !r.store.intact() {
			return errIncomplete
		}
		return r.back(ctx, t, plumbing.NewHash(commit), &w)
	})
}

// walkBack is a walk along a branch.
type walkBack struct {
	name  string
	most  int
	visit func(Revision) bool
	seen  map[plumbing.Hash]bool
}

func (r *Repo) back(ctx context.Context, t *talk, from plumbing.Hash, w *walkBack) error {
	if _, err := r.bring(ctx, t, from); err != nil {
		return err
	}
	if t.can(capability.Filter) && t.can(capability.AllowReachableSHA1InWant) && t.can(capability.Shallow) {
		commits := newStore("")
		q := query{want: []plumbing.Hash{from}, depth: w.most + 1, bare: true, limit: maxBareBytes}
		err := t.pack(ctx, q, commits)
		if err == nil {
			_, err = r.visitAll(ctx, t, line(from, w.most, commits, r.store), w)
		}
		if !errors.Is(err, ErrNotFound) {
			return r.backError(ctx, from, err)
		}
	}
	depths := []int{4, 16, w.most + 1}
	if !t.can(capability.Shallow) {
		depths = []int{allHistory}
	}
	for _, depth := range depths {
		q := query{want: []plumbing.Hash{from}, have: []plumbing.Hash{from}, depth: depth, limit: maxWholeBytes}
		if err := t.pack(ctx, q, r.store); err != nil {
			return r.backError(ctx, from, err)
		}
		commits := line(from, w.most, r.store)
		more, err := r.visitAll(ctx, t, commits, w)
		if err != nil || !more || len(commits) < min(depth-1, w.most) {
			return err
		}
	}
	return nil
}

func (r *Repo) backError(ctx context.Context, from plumbing.Hash, err error) error {
	if err == nil || errors.Is(err, errNoPack) {
		return nil
	}
	return r.fetchError(ctx, from, err)
}

// line are the first parents of a commit, itself not among them, as far as they are
// in stores.
func line(from plumbing.Hash, most int, stores ...*store) (list []plumbing.Hash) {
	parent := func(h plumbing.Hash) (first plumbing.Hash, known bool) {
		for _, s := range stores {
			if c, err := s.commit(h); err == nil {
				if len(c.ParentHashes) > 0 {
					first = c.ParentHashes[0]
				}
				return first, true
			}
		}
		return first, false
	}
	next, _ := parent(from)
	for len(list) < most && !next.IsZero() {
		after, known := parent(next)
		if !known {
			break
		}
		list = append(list, next)
		next = after
	}
	return list
}

// visitAll visits what was not visited yet.
func (r *Repo) visitAll(ctx context.Context, t *talk, commits []plumbing.Hash, w *walkBack) (more bool, err error) {
	for _, h := range commits {
		if w.seen[h] {
			continue
		}
		c, err := r.bring(ctx, t, h)
		if err != nil {
			return false, err
		}
		w.seen[h] = true
		rev, err := r.revision(ctx, w.name, c)
		switch {
		case err != nil && (ctx.Err() != nil || !NeedsPerson(err)):
			return false, err
		case err == nil && !w.visit(rev):
			return false, nil
		}
	}
	return true, nil
}
