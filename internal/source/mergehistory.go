package source

import (
	"context"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/stackreeve/stackreeve/internal/source/merge"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// These limits apply to the history that is fetched with one request.
const (
	maxBareBytes  = 64 << 20  // commits without files: about half a million commits
	maxWholeBytes = 256 << 20 // commits with their files, from a server that cannot leave the files out
)

// mergeHistory fetches the history that a merge needs, within a conversation.
type mergeHistory struct {
	repo *Repo
	conv *conversation
}

var _ merge.History = mergeHistory{}

// EnsureCommit implements merge.History.
func (h mergeHistory) EnsureCommit(ctx context.Context, commit plumbing.Hash) (*object.Commit, error) {
	return h.repo.ensureCommit(ctx, h.conv, commit)
}

// FetchHistory implements merge.History.
func (h mergeHistory) FetchHistory(ctx context.Context, commits []plumbing.Hash, generations int, bare bool, to *store.Store) error {
	q := query{want: commits, have: commits, depth: generations, limit: maxWholeBytes}
	if bare {
		q = query{want: commits, depth: generations, bare: true, limit: maxBareBytes}
	}
	if err := h.conv.fetch(ctx, q, to); err != nil {
		return h.repo.fetchError(ctx, commits[len(commits)-1], err)
	}
	return nil
}

// GivesBareCommits implements merge.History.
func (h mergeHistory) GivesBareCommits() bool {
	return h.conv.can(capability.Filter) && h.conv.can(capability.AllowReachableSHA1InWant)
}

// LimitsGenerations implements merge.History.
func (h mergeHistory) LimitsGenerations() bool { return h.conv.can(capability.Shallow) }
