package source

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/stackreeve/stackreeve/internal/source/merge"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// Earlier calls visit for the commits that the branch had before commit, newest first. It follows
// the first parents. The argument most limits the number of commits. Earlier also stops when visit
// returns false. It leaves out commits whose files cannot be read, and does not change Last.
//
// It fetches about as much history as it visits, within the limits of a merge.
func (r *Repo) Earlier(ctx context.Context, commit string, most int, visit func(Revision) (more bool)) error {
	w := walk{most: most, visit: visit, seen: map[plumbing.Hash]bool{}}
	return r.inConversation(ctx, func(ctx context.Context, conv *conversation) error {
		name, _, err := findBranch(conv.refs, r.cfg.Branch)
		if err != nil {
			return err
		}
		if err := r.checkIntact(); err != nil {
			return err
		}
		w.name = name
		return r.walkBack(ctx, conv, plumbing.NewHash(commit), &w)
	})
}

// walk is the state of one call of Earlier.
type walk struct {
	name  string
	most  int
	visit func(Revision) bool
	seen  map[plumbing.Hash]bool
}

func (r *Repo) walkBack(ctx context.Context, conv *conversation, from plumbing.Hash, w *walk) error {
	if _, err := r.ensureCommit(ctx, conv, from); err != nil {
		return err
	}
	if conv.can(capability.Filter) && conv.can(capability.AllowReachableSHA1InWant) && conv.can(capability.Shallow) {
		commits := store.New("")
		q := query{want: []plumbing.Hash{from}, depth: w.most + 1, bare: true, limit: maxBareBytes}
		err := conv.fetch(ctx, q, commits)
		if err == nil {
			_, err = r.visitAll(ctx, conv, firstParents(from, w.most, commits, r.cache.Store()), w)
		}
		if !errors.Is(err, ErrNotFound) {
			return r.backError(ctx, from, err)
		}
	}
	depths := []int{4, 16, w.most + 1}
	if !conv.can(capability.Shallow) {
		depths = []int{merge.AllHistory}
	}
	for _, depth := range depths {
		q := query{want: []plumbing.Hash{from}, have: []plumbing.Hash{from}, depth: depth, limit: maxWholeBytes}
		if err := conv.fetch(ctx, q, r.cache.Store()); err != nil {
			return r.backError(ctx, from, err)
		}
		commits := firstParents(from, w.most, r.cache.Store())
		more, err := r.visitAll(ctx, conv, commits, w)
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

// firstParents lists the first parents of a commit, without the commit itself, as far as the stores
// have them.
func firstParents(from plumbing.Hash, most int, stores ...*store.Store) (list []plumbing.Hash) {
	parent := func(h plumbing.Hash) (first plumbing.Hash, known bool) {
		for _, s := range stores {
			if c, err := s.Commit(h); err == nil {
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

// visitAll calls visit for the commits that were not visited yet.
func (r *Repo) visitAll(ctx context.Context, conv *conversation, commits []plumbing.Hash, w *walk) (more bool, err error) {
	for _, h := range commits {
		if w.seen[h] {
			continue
		}
		c, err := r.ensureCommit(ctx, conv, h)
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
