package merge

import (
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// These are the limits for merges of merge bases.
const (
	maxBases       = 8  // number of merge bases of two commits.
	maxNesting     = 4  // number of merges of merge bases that may be in progress, one within the other.
	maxBasesMerged = 64 // number of merge bases of one merge, including merge bases of merge bases.
)

// treeOfBases returns the root folder that both sides have in common: the root of their merge base.
// Histories that were merged into each other have several merge bases. Then the result is the merge
// of these bases, as in git (its "virtual merge base"). If a file conflicts in that merge, the
// result has an entry that differs from every other file. nesting is the number of merges of bases
// that are in progress around this one.
func (m *commitMerger) treeOfBases(bases []plumbing.Hash, known ancestry, nesting int) (plumbing.Hash, error) {
	if err := m.spendBases(len(bases), nesting); err != nil {
		return plumbing.ZeroHash, err
	}
	if err := m.ensureAll(bases); err != nil {
		return plumbing.ZeroHash, err
	}
	tree, err := m.rootOf(bases[0])
	for i := 1; i < len(bases) && err == nil; i++ {
		tree, err = m.withBase(tree, bases[:i], bases[i], known, nesting)
	}
	return tree, err
}

// spendBases subtracts a number of merge bases from the limit of a merge.
func (m *commitMerger) spendBases(n, nesting int) error {
	if m.basesMerged += n; n > maxBases || nesting > maxNesting || m.basesMerged > maxBasesMerged {
		return failure.New(failure.ErrContent, "the two branches were merged into each other so often that their common start cannot be found; first merge the branch of the stack into the branch of this change")
	}
	return nil
}

// withBase merges the root folder of one more base into the merge of the bases before it.
func (m *commitMerger) withBase(tree plumbing.Hash, merged []plumbing.Hash, base plumbing.Hash, known ancestry, nesting int) (plumbing.Hash, error) {
	shared, _, err := known.newestShared(&m.budget, merged, []plumbing.Hash{base})
	if err != nil {
		return plumbing.ZeroHash, err
	}
	var began plumbing.Hash // zero if they share no history
	if len(shared) > 0 {
		if began, err = m.treeOfBases(shared, known, nesting+1); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	root, err := m.rootOf(base)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return m.mergeBaseTrees(roots{began, tree, root})
}

// mergeBaseTrees merges the root folders of merge bases. If a file conflicts there, it becomes an
// entry that differs from every other, and not a conflict of the whole merge.
func (m *commitMerger) mergeBaseTrees(r roots) (plumbing.Hash, error) {
	m.unsettled++
	defer func() { m.unsettled-- }()
	r, err := m.followMoves(r, "")
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return m.folder(r[0], r[1], r[2], "")
}

func (m *commitMerger) rootOf(commit plumbing.Hash) (plumbing.Hash, error) {
	c, err := m.store.Commit(commit)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return c.TreeHash, nil
}
