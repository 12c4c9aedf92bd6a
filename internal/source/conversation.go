package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// conversation is a series of requests to a server: it gets the references, then any number of
// packs.
type conversation struct {
	remote  remote
	hidden  *secrets
	refs    *packp.AdvRefs
	session transport.UploadPackSession
	spent   bool // whether the session gives no more packs
}

// converse opens a conversation, asks for the references and calls do. asked is the number of the
// newest conversation when the caller came. If the references of a later conversation are here,
// converse uses them and asks for none.
func (r *Repo) converse(ctx context.Context, hidden *secrets, asked int64, do func(context.Context, *conversation) error) error {
	conv := &conversation{remote: r.remote, hidden: hidden}
	defer conv.close()
	if r.refs != nil && r.refsOf > asked {
		conv.refs, conv.spent = r.refs, true
		return do(ctx, conv)
	}
	number := r.began.Add(1)
	if err := conv.open(ctx); err != nil {
		return err
	}
	r.refs, r.refsOf = conv.refs, number
	return do(ctx, conv)
}

func (c *conversation) open(ctx context.Context) (err error) {
	if c.session, err = c.remote.open(ctx, c.hidden); err != nil {
		return err
	}
	c.spent = false
	c.refs, err = advertise(ctx, c.session)
	return err
}

func (c *conversation) close() {
	if c.session != nil {
		_ = c.session.Close() // each read has its own check
		c.session = nil
	}
}

func (c *conversation) can(what capability.Capability) bool {
	return c.refs.Capabilities.Supports(what)
}

// fetch asks for objects and adds them to a store. Over ssh every pack takes a connection of its
// own.
func (c *conversation) fetch(ctx context.Context, q query, to *store.Store) error {
	if c.spent {
		c.close()
		if err := c.open(ctx); err != nil {
			return err
		}
	}
	_, c.spent = c.session.(*sshSession)
	return fetchPack(ctx, c.session, c.refs, q, func(pack io.Reader) error { return to.Receive(ctx, pack) })
}

// ensureCommitRenewing makes sure that the wanted commit is in the store with all its objects. It
// may start an empty store when the store is full; ensureCommit does not.
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

// ensureCommit is ensureCommitRenewing for one of several commits that are needed together: it
// keeps the store.
func (r *Repo) ensureCommit(ctx context.Context, conv *conversation, want plumbing.Hash) (*object.Commit, error) {
	if commit, err := r.localCommit(ctx, want); err == nil || !errors.Is(err, store.ErrIncomplete) {
		return commit, err
	}
	return r.fetchCommit(ctx, conv, want)
}

// fetchCommit fetches a commit into the store, and never renews the store.
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

// localCommit reads a commit, if the store has it with everything it needs.
func (r *Repo) localCommit(ctx context.Context, want plumbing.Hash) (*object.Commit, error) {
	commit, err := r.cache.Store().Commit(want)
	if err != nil {
		return nil, err
	}
	return commit, r.cache.Store().CheckComplete(ctx, commit)
}

func (r *Repo) checkIntact() error {
	if !r.cache.Store().Intact() {
		return fmt.Errorf("%w: a pack is gone or unreadable", store.ErrIncomplete)
	}
	return nil
}

// fetchError says whether fetching again into an empty store could help. It could when the request
// named a commit that is already here and the answer made no sense.
func (r *Repo) fetchError(ctx context.Context, want plumbing.Hash, err error) error {
	var known *failure.Error
	switch {
	case ctx.Err() != nil || errors.As(err, &known) || errors.Is(err, store.ErrCache):
		return err
	case strings.Contains(err.Error(), "not our ref"), strings.Contains(err.Error(), "unadvertised object"):
		return failure.New(ErrNotFound, "the server does not hand out the commit %s by its number; name a branch, a tag or a refs/pull/N/head that leads to it", want)
	case !r.cache.Tip().IsZero():
		return fmt.Errorf("%w: %w", store.ErrIncomplete, err)
	}
	return err
}
