package merge

import (
	"context"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// ancestry is a part of a repository's history: the parents of each known commit. A parent that is
// not a key of the map is unknown.
type ancestry map[plumbing.Hash][]plumbing.Hash

const (
	maxLinks  = 4_000_000  // number of links from commits to their parents
	maxVisits = 50_000_000 // number of visits of commits in one merge
)

// visitBudget limits the number of visits of commits.
type visitBudget struct {
	ctx  context.Context
	left int
}

func (v *visitBudget) spend(n int) error {
	if err := v.ctx.Err(); err != nil {
		return err
	}
	if v.left -= n; v.left < 0 {
		return failure.New(failure.ErrContent, "the two histories are too long and complicated to find their common start; first merge the target branch into this branch")
	}
	return nil
}

// learn adds the commits in from and their ancestors, as far as the stores have them.
func (a ancestry) learn(ctx context.Context, from []plumbing.Hash, stores ...*store.Store) error {
	from = slices.Clone(from)
	links := 0
	for len(from) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := from[len(from)-1]
		from = from[:len(from)-1]
		if _, ok := a[h]; ok {
			continue
		}
		for _, s := range stores {
			if c, err := s.Commit(h); err == nil {
				a[h] = c.ParentHashes
				if links += len(c.ParentHashes); links > maxLinks {
					return failure.New(failure.ErrContent, "the history has more than %d links from commits to their parents; at most that many are accepted", maxLinks)
				}
				from = append(from, c.ParentHashes...)
				break
			}
		}
	}
	return nil
}

// reach returns the commits in from and all their ancestors.
func (a ancestry) reach(v *visitBudget, from ...plumbing.Hash) (map[plumbing.Hash]bool, error) {
	seen := map[plumbing.Hash]bool{}
	from = slices.Clone(from)
	for len(from) > 0 {
		h := from[len(from)-1]
		from = from[:len(from)-1]
		if !seen[h] {
			if err := v.spend(1 + len(a[h])); err != nil {
				return nil, err
			}
			seen[h] = true
			from = append(from, a[h]...)
		}
	}
	return seen, nil
}

// newestShared finds the newest common commits of two sets of commits. The result is sure if all
// unknown commits are older than the result.
func (a ancestry) newestShared(v *visitBudget, left, right []plumbing.Hash) (best []plumbing.Hash, sure bool, err error) {
	both, err := a.reach(v, left...)
	if err != nil {
		return nil, false, err
	}
	other, err := a.reach(v, right...)
	if err != nil {
		return nil, false, err
	}
	sure, ends := true, 0
	for h := range other {
		if !both[h] {
			sure = sure && a.knows(h)
		}
	}
	var parents []plumbing.Hash
	for h := range both {
		switch {
		case !other[h]:
			sure = sure && a.knows(h)
			delete(both, h)
		case a.knows(h):
			parents = append(parents, a[h]...)
		default:
			ends++
		}
	}
	older, err := a.reach(v, parents...)
	if err != nil {
		return nil, false, err
	}
	for h := range both {
		if !older[h] {
			best = append(best, h)
		}
	}
	slices.SortFunc(best, func(x, y plumbing.Hash) int { return slices.Compare(x[:], y[:]) })
	// If there are unknown commits, one of two results could be an ancestor of the other.
	return best, sure && (len(best) < 2 || ends == 0), nil
}

func (a ancestry) knows(h plumbing.Hash) bool { _, ok := a[h]; return ok }

// isCutOff reports whether there are unknown parents.
func (a ancestry) isCutOff() bool {
	for _, parents := range a {
		if slices.ContainsFunc(parents, func(h plumbing.Hash) bool { return !a.knows(h) }) {
			return true
		}
	}
	return false
}
