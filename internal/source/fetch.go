package source

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

type chooser func(*packp.AdvRefs) (name string, want plumbing.Hash, err error)

// Fetch returns the newest revision of the branch, and whether it differs from the one that Fetch returned before. If
// nothing has changed, it sends one request. After an error, the caller continues with the revision that it has.
// NeedsPerson reports whether a person has to act.
func (r *Repo) Fetch(ctx context.Context) (rev Revision, changed bool, err error) {
	rev, err = r.fetchRevision(ctx, func(refs *packp.AdvRefs) (string, plumbing.Hash, error) {
		return findBranch(refs, r.cfg.Branch)
	})
	if err != nil {
		return Revision{}, false, err
	}
	r.lastMu.Lock()
	defer r.lastMu.Unlock()
	changed = r.last == nil || r.last.Commit != rev.Commit || r.last.Branch != rev.Branch
	r.last = &rev
	return rev, changed, nil
}

// fetchRevision fetches a single revision in a conversation.
func (r *Repo) fetchRevision(ctx context.Context, choose chooser) (rev Revision, err error) {
	err = r.inConversation(ctx, func(ctx context.Context, conv *conversation) (err error) {
		rev, err = r.fetchChosen(ctx, conv, choose)
		return err
	})
	if err != nil {
		return Revision{}, err
	}
	return rev, nil
}

// fetchChosen returns the chosen revision. It requests a pack only if the commit is not in the store.
func (r *Repo) fetchChosen(ctx context.Context, conv *conversation, choose chooser) (Revision, error) {
	name, want, err := choose(conv.refs)
	if err != nil {
		return Revision{}, err
	}
	if rev, ok := r.unchanged(name, want); ok {
		return rev, nil
	}
	commit, err := r.ensureCommitRenewing(ctx, conv, want)
	if err != nil {
		return Revision{}, err
	}
	r.cache.Keep(commit.Hash)
	return r.revision(ctx, name, commit)
}

// unchanged returns the last revision if it is the wanted one and can still be read.
func (r *Repo) unchanged(name string, want plumbing.Hash) (Revision, bool) {
	last, ok := r.Last()
	if !ok || last.Branch != name || last.Commit != want.String() {
		return Revision{}, false
	}
	files, ok := last.Files.(*store.Files)
	return last, ok && files.Intact()
}

// ensureCommitRenewing makes sure that the wanted commit is in the store with all its objects. If
// the store is full, it starts an empty store first; ensureCommit does not.
func (r *Repo) ensureCommitRenewing(ctx context.Context, conv *conversation, want plumbing.Hash) (*object.Commit, error) {
	if err := r.checkIntact(); err != nil {
		return nil, err
	}
	if commit, err := r.localCommit(ctx, want); err == nil || !errors.Is(err, store.ErrIncomplete) {
		return commit, err
	}
	if r.cache.Store().Full() {
		r.renew()
	}
	return r.fetchCommit(ctx, conv, want)
}

// ensureCommit is ensureCommitRenewing, but neither checks nor replaces the store. It is for a
// commit that is needed together with others.
func (r *Repo) ensureCommit(ctx context.Context, conv *conversation, want plumbing.Hash) (*object.Commit, error) {
	if commit, err := r.localCommit(ctx, want); err == nil || !errors.Is(err, store.ErrIncomplete) {
		return commit, err
	}
	return r.fetchCommit(ctx, conv, want)
}

// fetchCommit fetches a commit into the store. It does not replace the store.
func (r *Repo) fetchCommit(ctx context.Context, conv *conversation, want plumbing.Hash) (*object.Commit, error) {
	q := query{want: []plumbing.Hash{want}, depth: 1, limit: maxPackBytes}
	if tip := r.cache.Tip(); !tip.IsZero() {
		q.have = []plumbing.Hash{tip}
	}
	if err := conv.fetch(ctx, q, r.cache.Store()); err != nil {
		return nil, r.fetchError(ctx, want, err)
	}
	return r.localCommit(ctx, want)
}

// localCommit returns a commit if the store has it and all objects that it needs.
func (r *Repo) localCommit(ctx context.Context, want plumbing.Hash) (*object.Commit, error) {
	commit, err := r.cache.Store().Commit(want)
	if err != nil {
		return nil, err
	}
	return commit, r.cache.Store().CheckComplete(ctx, commit)
}

func (r *Repo) checkIntact() error {
	if !r.cache.Store().Intact() {
		return fmt.Errorf("%w: a pack is missing or unreadable", store.ErrIncomplete)
	}
	return nil
}

// fetchError adds a class to the error of a fetch. The result is ErrIncomplete if it could help to
// fetch again into an empty store. That is so if the request named a commit that is already here,
// and the answer made no sense.
func (r *Repo) fetchError(ctx context.Context, want plumbing.Hash, err error) error {
	var known *failure.Error
	switch {
	case ctx.Err() != nil || errors.As(err, &known) || errors.Is(err, store.ErrCache):
		return err
	case strings.Contains(err.Error(), "not our ref"), strings.Contains(err.Error(), "unadvertised object"):
		return failure.New(ErrNotFound, "the server does not allow a fetch of commit %s by its hash; name a branch, a tag or a refs/pull/N/head that contains the commit", want)
	case !r.cache.Tip().IsZero():
		return fmt.Errorf("%w: %w", store.ErrIncomplete, err)
	}
	return err
}
