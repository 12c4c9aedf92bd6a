package merge

import (
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// Bounds on what is merged to know what both sides began with.
const (
	maxBases       = 8  // merge bases of two commits, none of which leads to another
	maxNesting     = 4  // of histories that crossed again and again
	maxBasesMerged = 64 // merge bases of one merge, those of merge bases included
)

// treeOfBases is the root folder that both sides began with: that of their merge
// base. When they had been merged into each other crosswise there are several bases,
// and it is what these give when merged, as git does it (its "virtual merge base"):
// a file in which they conflict is like no other. nesting is how many crossings led
// here.
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

// spendBases takes a number of merge bases from what a merge may spend.
func (m *commitMerger) spendBases(n, nesting int) error {
	if m.basesMerged += n; n > maxBases || nesting > maxNesting || m.basesMerged > maxBasesMerged {
		return failure.New(failure.ErrContent, "the two histories were merged into each other too often to know what they began with; merge the branch into this one first")
	}
	return nil
}

// withBase merges the root folder of another base into that of those before it.
func (m *commitMerger) withBase(tree plumbing.Hash, merged []plumbing.Hash, base plumbing.Hash, known ancestry, nesting int) (plumbing.Hash, error) {
	shared, _, err := known.newestShared(&m.budget, merged, []plumbing.Hash{base})
	if err != nil {
		return plumbing.ZeroHash, err
	}
	var began plumbing.Hash // nothing, when they share no history
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

// mergeBaseTrees merges root folders that both sides began with. Files that conflict
// there become entries like no other, and no conflicts of the merge.
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
