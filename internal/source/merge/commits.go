package merge

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// History gets commits and their ancestors from a repository.
type History interface {
	// EnsureCommit makes sure that a commit is in the store with all its files. The error is [failure.ErrNotFound] if the
	// server does not send the commit.
	EnsureCommit(ctx context.Context, commit plumbing.Hash) (*object.Commit, error)
	// FetchHistory fetches commits and their ancestors into a store. generations is the number of generations, including the
	// commits; [AllHistory] fetches all ancestors. If bare is true, the commits come without their files.
	FetchHistory(ctx context.Context, commits []plumbing.Hash, generations int, bare bool, to *store.Store) error
	// GivesBareCommits reports whether the server sends commits without their files, and any commit by its hash.
	GivesBareCommits() bool
	// LimitsGenerations reports whether the server can send only a part of the history.
	LimitsGenerations() bool
}

// AllHistory is the number of generations with which git itself requests all ancestors.
const AllHistory = 1<<31 - 1

// Result is the merge of one folder of several commits. The hashes of folders are those of trees, and zero if there is no
// such folder.
type Result struct {
	Folder    plumbing.Hash // the merged folder; without a meaning if there are conflicts
	Before    plumbing.Hash // the folder in the base
	MergeBase plumbing.Hash // the newest common commit, or one of several
	// Conflicts are the files that a person has to merge, sorted. If the conflict is not one of lines, the reason follows the
	// file in brackets.
	Conflicts []string
	Merged    int        // the number of heads that were merged without conflicts
	Made      store.Made // objects that are in no repository
}

// Commits merges the folder scope of heads into base, one head after the other. An empty scope is the repository's root. All
// commits must be complete in s. Commits never uses refs/pull/N/merge: on many servers, anybody who may push can write
// that reference, with the right parents and wrong files.
//
// After the first head that conflicts, the other heads are not merged.
func Commits(ctx context.Context, s *store.Store, history History, base *object.Commit, heads []*object.Commit, scope string) (r Result, err error) {
	m := &commitMerger{merger: newMerger(ctx, s), history: history, budget: visitBudget{ctx, maxVisits}}
	made, root := []plumbing.Hash{base.Hash}, base.TreeHash
	before, err := m.at(root, scope)
	if err != nil {
		return Result{}, err
	}
	for i, head := range heads {
		best, known, err := m.fetchMergeBases(made, head.Hash)
		if err != nil {
			return Result{}, err
		}
		began, err := m.treeOfBases(best, known, 0)
		if err != nil {
			return Result{}, err
		}
		step := roots{began, root, head.TreeHash}
		r = Result{Before: subfolder(before), MergeBase: best[0], Merged: i}
		if r.Folder, err = m.scoped(step, scope); err != nil {
			return Result{}, err
		}
		if len(m.conflicts) > 0 {
			break
		}
		if r.Merged = i + 1; r.Merged == len(heads) {
			break
		}
		if root, err = m.wholeRoot(step, r.Folder, scope); err != nil {
			return Result{}, err
		}
		made = append(made, head.Hash)
	}
	r.Conflicts, r.Made = m.conflictedFiles(), m.made
	return r, nil
}

// wholeRoot merges whole root folders. Their folder scope was merged without a conflict before. If a file elsewhere
// conflicts, it becomes an entry that differs from every other. It causes a conflict only if it moves from there into the
// folder scope.
func (m *commitMerger) wholeRoot(r roots, folder plumbing.Hash, scope string) (plumbing.Hash, error) {
	root, err := m.mergeBaseTrees(r)
	if err != nil {
		return root, err
	}
	m.conflicts = nil // these conflicts are outside of the folder
	here, err := m.at(root, scope)
	if err == nil && subfolder(here) != folder {
		m.recordDoubt(scope, "there are too many differences to compare")
	}
	return root, err
}

// commitMerger is a merger that finds the merge bases of two commits.
type commitMerger struct {
	*merger
	history History
	budget  visitBudget
	// basesMerged is the number of commits that were fetched so far as merge bases.
	basesMerged int
}

// fetchMergeBases fetches the newest commits, with their files, that head has in common with a merge of the commits in base.
func (m *commitMerger) fetchMergeBases(base []plumbing.Hash, head plumbing.Hash) (best []plumbing.Hash, known ancestry, err error) {
	if m.history.GivesBareCommits() {
		if best, known, err = m.fetchNewestShared(base, head, true); err == nil {
			err = m.ensureAll(best)
		}
		if !errors.Is(err, failure.ErrNotFound) {
			return best, known, err
		}
	}
	// The server only sends commits to which references lead, so all history is fetched.
	if best, known, err = m.fetchNewestShared(base, head, false); err != nil {
		return nil, nil, err
	}
	return best, known, m.ensureAll(best)
}

func (m *commitMerger) ensureAll(commits []plumbing.Hash) error {
	for _, h := range commits {
		if _, err := m.history.EnsureCommit(m.ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// scoped merges the folder scope of root folders.
func (m *commitMerger) scoped(r roots, scope string) (plumbing.Hash, error) {
	r, err := m.followMoves(r, scope)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	for i, root := range r {
		e, err := m.at(root, scope)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		r[i] = subfolder(e)
	}
	folder, err := m.folder(r[0], r[1], r[2], scope)
	if folder.IsZero() && err == nil && scope == "" {
		return m.made.Folder(nil)
	}
	return folder, err
}
