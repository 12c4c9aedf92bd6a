package merge

import (
	"context"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// Range has the commits that a commit has, and that earlier ones lack, as `git log head ^base ^base…` lists them.
type Range struct {
	Commits []plumbing.Hash        // head first; the order of the others has no meaning.
	Found   map[plumbing.Hash]bool // the bases that are head or one of its ancestors.
	Many    bool                   // there are more than the wanted number; Commits has none then.
	stores  []*store.Store
}

// Raw returns the bytes of a commit of the range.
func (r Range) Raw(h plumbing.Hash) (text []byte, err error) {
	for _, s := range r.stores {
		if _, text, err = s.Raw(h); err == nil {
			break
		}
	}
	return text, err
}

// Between finds the commits of a range, at most the number most. It fetches history until it has found all bases, and every commit after
// them. If a base is not an ancestor of head, it fetches all history.
//
// A short history can show commits as part of the range that a base has, too, over a long way. So enough is called with every complete
// range. If it returns false, Between fetches more.
func Between(ctx context.Context, s *store.Store, history History, bases []plumbing.Hash, head plumbing.Hash, most int, enough func(Range) bool) (Range, error) {
	bare := history.GivesBareCommits()
	generations := []int{AllHistory}
	if history.LimitsGenerations() {
		generations = []int{32, 1024, AllHistory}
	}
	budget := visitBudget{ctx, maxVisits}
	for _, n := range generations {
		to := s
		if bare {
			to = store.New("")
		}
		if err := history.FetchHistory(ctx, []plumbing.Hash{head}, n, bare, to); err != nil {
			return Range{}, err
		}
		known := ancestry{}
		if err := known.learn(ctx, []plumbing.Hash{head}, to, s); err != nil {
			return Range{}, err
		}
		found, err := known.between(&budget, bases, head)
		if err != nil {
			return Range{}, err
		}
		last := n == AllHistory
		if last && found.cut {
			return Range{}, failure.New(failure.ErrContent, "the commits before %s are not all known: the history of the repository is cut off; fetch all of it, with `git fetch --unshallow`", head)
		}
		if found.cut || len(found.bases) < len(bases) && !last {
			continue
		}
		r := Range{Commits: found.commits, Found: found.bases, stores: []*store.Store{to, s}}
		if len(r.Commits) > most {
			r.Commits, r.Many = nil, true
		}
		if found.exact || last || enough(r) {
			return r, nil
		}
	}
	return Range{}, failure.New(failure.ErrUnavailable, "the history of %s could not be fetched", head)
}

// between is a range as far as it is known.
type between struct {
	commits []plumbing.Hash
	bases   map[plumbing.Hash]bool // those that were found.
	cut     bool                   // a commit of the range is unknown.
	exact   bool                   // no commit of the range can be an ancestor of a base.
}

func (a ancestry) between(v *visitBudget, bases []plumbing.Hash, head plumbing.Hash) (b between, err error) {
	before, err := a.reach(v, bases...)
	if err != nil {
		return b, err
	}
	b.exact, b.bases = true, map[plumbing.Hash]bool{}
	for h := range before {
		b.exact = b.exact && a.knows(h)
	}
	after, err := a.reach(v, head)
	if err != nil {
		return b, err
	}
	for _, base := range bases {
		if after[base] {
			b.bases[base] = true
		}
	}
	seen, next := map[plumbing.Hash]bool{}, []plumbing.Hash{head}
	for len(next) > 0 {
		h := next[len(next)-1]
		next = next[:len(next)-1]
		if before[h] || seen[h] {
			continue
		}
		seen[h] = true
		if !a.knows(h) {
			b.cut = true
			continue
		}
		b.commits = append(b.commits, h)
		for _, parent := range slices.Backward(a[h]) {
			next = append(next, parent)
		}
	}
	return b, nil
}
