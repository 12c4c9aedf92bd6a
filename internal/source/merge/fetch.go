package merge

import (
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// fetchNewestShared finds the newest commits that head has in common with a merge of base. It fetches history until the
// result is sure. bare is for servers that send commits without their files. If bare is false, all commits that it
// finds are in the store afterwards.
func (m *commitMerger) fetchNewestShared(base []plumbing.Hash, head plumbing.Hash, bare bool) ([]plumbing.Hash, ancestry, error) {
	last := len(base)
	ends := append(slices.Clone(base), head)
	for _, generations := range m.generations(bare) {
		to := m.store
		if bare {
			to = store.New("")
		}
		if err := m.history.FetchHistory(m.ctx, ends, generations, bare, to); err != nil {
			return nil, nil, err
		}
		found := ancestry{}
		if err := found.learn(m.ctx, ends, to, m.store); err != nil {
			return nil, nil, err
		}
		best, sure, err := found.newestShared(&m.budget, ends[:last], ends[last:])
		if err != nil {
			return nil, nil, err
		}
		if sure && len(best) > 0 {
			return best, found, nil
		}
		if generations == AllHistory && found.isCutOff() {
			return nil, nil, failure.New(failure.ErrContent, "the merge base of %s and %s is unknown, because the repository has only a part of the history; fetch all of it with `git fetch --unshallow`", base[last-1], head)
		}
	}
	return nil, nil, failure.New(failure.ErrContent, "the commits %s and %s share no history; recreate the branch from its target branch", base[0], head)
}

// generations returns the numbers of generations that are requested, one after the other, until the common commits are
// known.
func (m *commitMerger) generations(bare bool) []int {
	switch {
	case !m.history.LimitsGenerations():
		return []int{AllHistory}
	case bare:
		return []int{256, 8192, AllHistory}
	}
	return []int{16, 256, 4096, AllHistory}
}
