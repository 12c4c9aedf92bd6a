package merge

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// History gets commits and what came before them from a repository.
type History interface {
	// EnsureCommit makes sure that a commit is in the store with all its files. It is a
	// [failure.ErrNotFound] when the server does not give it away.
	EnsureCommit(ctx context.Context, commit plumbing.Hash) (*object.Commit, error)
	// FetchHistory puts commits and those before them, so many generations in all, into
	// a store; bare ones come without their files. With [AllHistory] everything comes.
	FetchHistory(ctx context.Context, commits []plumbing.Hash, generations int, bare bool, to *store.Store) error
	// GivesBareCommits says whether the server sends commits without their files, and
	// any commit by its hash.
	GivesBareCommits() bool
	// LimitsGenerations says whether the server can send less than all the history.
	LimitsGenerations() bool
}

// AllHistory is the number of generations that git itself asks for when it wants
// everything.
const AllHistory = 1<<31 - 1

// Result is what became of one folder of two commits. Hashes are of trees and zero
// where there is no such folder.
type Result struct {
	Folder    plumbing.Hash // merged; of no use with conflicts
	Before    plumbing.Hash // in the commit that is merged into
	MergeBase plumbing.Hash // the newest commit that both share, or one of them
	// Conflicts are the files that a person has to merge, sorted, with the reason in
	// brackets where it is not the lines that conflict.
	Conflicts []string
	Made      store.Made // what is in no repository
}

// Commits merges head into base, both complete in s, as far as it concerns the
// folder scope; an empty one is the repository's root. It never takes
// refs/pull/N/merge: on many servers anybody who may push can write it, with the
// right parents and other files.
func Commits(ctx context.Context, s *store.Store, history History, base, head *object.Commit, scope string) (Result, error) {
	m := &commitMerger{merger: newMerger(ctx, s), history: history, budget: visitBudget{ctx, maxVisits}}
	best, known, err := m.fetchMergeBases(base.Hash, head.Hash)
	if err != nil {
		return Result{}, err
	}
	began, err := m.treeOfBases(best, known, 0)
	if err != nil {
		return Result{}, err
	}
	folder, err := m.scoped(roots{began, base.TreeHash, head.TreeHash}, scope)
	if err != nil {
		return Result{}, err
	}
	before, err := m.at(base.TreeHash, scope)
	if err != nil {
		return Result{}, err
	}
	return Result{Folder: folder, Before: subfolder(before), MergeBase: best[0], Conflicts: m.conflictedFiles(), Made: m.made}, nil
}

// commitMerger is a merger that finds out what two commits began with.
type commitMerger struct {
	*merger
	history History
	budget  visitBudget
	// basesMerged are the commits that were fetched so far to know what both sides
	// began with.
	basesMerged int
}

// fetchMergeBases fetches the newest commits that both share, with their files.
func (m *commitMerger) fetchMergeBases(base, head plumbing.Hash) (best []plumbing.Hash, known ancestry, err error) {
	if m.history.GivesBareCommits() {
		if best, known, err = m.fetchNewestShared(base, head, true); err == nil {
			err = m.ensureAll(best)
		}
		if !errors.Is(err, failure.ErrNotFound) {
			return best, known, err
		}
	}
	// The server gives nothing but what references lead to: take it all.
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

// scoped merges one folder of root folders.
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
		return m.makeFolder(nil)
	}
	return folder, err
}
