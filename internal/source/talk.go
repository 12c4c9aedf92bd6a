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
)

// talk is a conversation with a server: its references, then any number of
// packs.
type talk struct {
	remote  remote
	hidden  *secrets
	refs    *packp.AdvRefs
	session transport.UploadPackSession
	spent   bool // the session gives no more packs
}

// talk opens a conversation and asks for the references.
func (r *Repo) talk(ctx context.Context, hidden *secrets, have func(context.Context, *talk) error) error {
	t := &talk{remote: r.remote, hidden: hidden}
	defer t.close()
	if err := t.open(ctx); err != nil {
		return err
	}
	return have(ctx, t)
}

func (t *talk) open(ctx context.Context) (err error) {
	if t.session, err = t.remote.open(ctx, t.hidden); err != nil {
		return err
	}
	t.spent = false
	t.refs, err = advertise(ctx, t.session)
	return err
}

func (t *talk) close() {
	if t.session != nil {
		_ = t.session.Close() // what was read is checked by itself
		t.session = nil
	}
}

func (t *talk) can(c capability.Capability) bool { return t.refs.Capabilities.Supports(c) }

// pack asks for objects and adds them to a store. Over ssh every pack takes a
// connection of its own.
func (t *talk) pack(ctx context.Context, q query, to *store) error {
	if t.spent {
		t.close()
		if err := t.open(ctx); err != nil {
			return err
		}
	}
	_, t.spent = t.session.(*sshSession)
	return fetchPack(ctx, t.session, t.refs, q, func(pack io.Reader) error { return to.receive(ctx, pack) })
}

// obtain makes sure that the wanted commit is here, all of it.
func (r *Repo) obtain(ctx context.Context, t *talk, want plumbing.Hash) (*object.Commit, error) {
	if !r.store.intact() {
		return nil, fmt.Errorf("%w: a pack is gone or unreadable", errIncomplete)
	}
	if commit, err := r.complete(ctx, want); err == nil || !errors.Is(err, errIncomplete) {
		return commit, err
	}
	if r.store.full() {
		r.renew()
	}
	return r.add(ctx, t, want)
}

// add fetches a commit into the store as it is.
func (r *Repo) add(ctx context.Context, t *talk, want plumbing.Hash) (*object.Commit, error) {
	q := query{want: []plumbing.Hash{want}, depth: 1, limit: maxPackBytes}
	if !r.tip.IsZero() {
		q.have = []plumbing.Hash{r.tip}
	}
	if err := t.pack(ctx, q, r.store); err != nil {
		return nil, r.fetchError(ctx, want, err)
	}
	return r.complete(ctx, want)
}

// complete reads a commit, if it is in the store with everything it needs.
func (r *Repo) complete(ctx context.Context, want plumbing.Hash) (*object.Commit, error) {
	commit, err := r.store.commit(want)
	if err != nil {
		return nil, err
	}
	return commit, r.store.checkComplete(ctx, commit)
}

// fetchError says whether a fresh start could help: it could when the server
// was told of a commit that is here already, and its answer made no sense.
func (r *Repo) fetchError(ctx context.Context, want plumbing.Hash, err error) error {
	var known *failure
	switch {
	case ctx.Err() != nil || errors.As(err, &known) || errors.Is(err, errCache):
		return err
	case strings.Contains(err.Error(), "not our ref"), strings.Contains(err.Error(), "unadvertised object"):
		return fail(ErrNotFound, "the server does not hand out the commit %s by its number; name a branch, a tag or a refs/pull/N/head that leads to it", want)
	case !r.tip.IsZero():
		return fmt.Errorf("%w: %w", errIncomplete, err)
	}
	return err
}
