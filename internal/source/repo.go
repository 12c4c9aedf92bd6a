package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// Repo follows one branch of one repository. Its methods may be called from
// any number of goroutines; fetches happen one after the other.
type Repo struct {
	cfg    Config
	addr   address
	log    *slog.Logger
	remote remote

	busy  chan struct{} // holds one token for the whole of a fetch, which owns what follows
	cache *cacheSlot
	store *store
	tip   plumbing.Hash // a commit that is complete in store; zero if there is none

	lastMu sync.Mutex
	last   *Revision
}

// Last returns the newest revision that Fetch has returned, and false before
// the first one. It serves however long the server is away.
func (r *Repo) Last() (Revision, bool) {
	r.lastMu.Lock()
	defer r.lastMu.Unlock()
	if r.last == nil {
		return Revision{}, false
	}
	return *r.last, true
}

// Close gives the cache folder free for other processes. Revisions are not to
// be read after it.
func (r *Repo) Close() error {
	r.busy <- struct{}{}
	defer func() { <-r.busy }()
	r.store, r.tip = nil, plumbing.ZeroHash
	if r.cache == nil {
		return nil
	}
	slot := r.cache
	r.cache = nil
	return slot.close()
}

// Fetch returns the newest revision of the branch, and whether it is another
// one than Fetch returned before. When nothing has changed that takes one
// request. On an error the caller keeps the revision that it has; see
// NeedsPerson for who has to act.
func (r *Repo) Fetch(ctx context.Context) (rev Revision, changed bool, err error) {
	var hidden secrets
	rev, err = r.look(ctx, &hidden, func(refs *packp.AdvRefs) (string, plumbing.Hash, error) {
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

// At returns the revision that ref names: a branch, a tag, a full commit or a
// full reference such as refs/pull/7/head. It does not change Last.
func (r *Repo) At(ctx context.Context, ref string) (Revision, error) {
	var hidden secrets
	return r.look(ctx, &hidden, func(refs *packp.AdvRefs) (string, plumbing.Hash, error) {
		if commit := strings.ToLower(ref); fullHash.MatchString(commit) {
			return ref, plumbing.NewHash(commit), nil
		}
		if err := checkRef(ref); err != nil {
			return "", plumbing.ZeroHash, err
		}
		tip, err := findRef(refs, ref)
		return ref, tip, err
	})
}

type chooser func(*packp.AdvRefs) (name string, want plumbing.Hash, err error)

// look is one fetch, bounded in time. A store that turns out to be broken is
// replaced and tried once more; what fails then is not the cache's fault.
func (r *Repo) look(parent context.Context, hidden *secrets, choose chooser) (Revision, error) {
	select {
	case r.busy <- struct{}{}:
		defer func() { <-r.busy }()
	case <-parent.Done():
		return Revision{}, finish(parent, r.addr, nil, parent.Err())
	}
	ctx, cancel := context.WithTimeoutCause(parent, r.cfg.Timeout,
		fmt.Errorf("no answer within %s", r.cfg.Timeout))
	defer cancel()
	r.openCache(ctx)
	var rev Revision
	var err error
	for range 3 {
		rev, err = r.converse(ctx, hidden, choose)
		switch {
		case err == nil:
			return rev, nil
		case errors.Is(err, errCache):
			r.log.Warn("cannot use the cache folder; going on in memory", "dir", r.cfg.Dir, "error", err)
			r.cfg.Dir = ""
		case errors.Is(err, errIncomplete):
			r.log.Warn("the local copy of the repository is damaged; fetching it anew", "dir", r.cfg.Dir, "error", err)
		default:
			return Revision{}, r.explain(ctx, parent, *hidden, err)
		}
		r.renew()
	}
	return Revision{}, r.explain(ctx, parent, *hidden, err)
}

func (r *Repo) explain(ctx, parent context.Context, hidden secrets, err error) error {
	if ctx.Err() != nil && parent.Err() == nil {
		err = fail(ErrUnavailable, "%s; it is tried again at the next poll", context.Cause(ctx))
	}
	return finish(parent, r.addr, hidden, err)
}

// converse asks for the references, and for a pack only if the wanted commit
// is not here yet.
func (r *Repo) converse(ctx context.Context, hidden *secrets, choose chooser) (Revision, error) {
	session, err := r.remote.open(ctx, hidden)
	if err != nil {
		return Revision{}, err
	}
	defer session.Close()
	refs, err := advertise(ctx, session)
	if err != nil {
		return Revision{}, err
	}
	name, want, err := choose(refs)
	if err != nil {
		return Revision{}, err
	}
	if rev, ok := r.unchanged(name, want); ok {
		return rev, nil
	}
	commit, err := r.obtain(ctx, session, refs, want)
	if err != nil {
		return Revision{}, err
	}
	r.keep(commit.Hash)
	return r.revision(ctx, name, commit)
}

// unchanged returns the last revision if it is the wanted one and readable.
func (r *Repo) unchanged(name string, want plumbing.Hash) (Revision, bool) {
	last, ok := r.Last()
	if !ok || last.Branch != name || last.Commit != want.String() {
		return Revision{}, false
	}
	files, ok := last.Files.(*treeFS)
	return last, ok && files.store.intact()
}

// obtain makes sure that the wanted commit is here, all of it.
func (r *Repo) obtain(ctx context.Context, session transport.UploadPackSession, refs *packp.AdvRefs, want plumbing.Hash) (*object.Commit, error) {
	if !r.store.intact() {
		return nil, fmt.Errorf("%w: a pack is gone or unreadable", errIncomplete)
	}
	if commit, err := r.complete(ctx, want); err == nil || !errors.Is(err, errIncomplete) {
		return commit, err
	}
	if r.store.full() {
		r.renew()
	}
	err := fetchPack(ctx, session, refs, want, r.tip, func(pack io.Reader) error { return r.store.receive(ctx, pack) })
	if err != nil {
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

// revision describes a commit that is here, and checks its files' names.
func (r *Repo) revision(ctx context.Context, name string, commit *object.Commit) (Revision, error) {
	root, err := r.store.subtree(commit.TreeHash, r.cfg.Path)
	if err != nil {
		return Revision{}, err
	}
	l := listing{store: r.store, ctx: ctx, folders: map[plumbing.Hash]*folder{}}
	if _, err := l.read(root, "", 0); err != nil {
		return Revision{}, err
	}
	return Revision{
		Commit:  commit.Hash.String(),
		Branch:  name,
		Subject: oneLine(commit.Message),
		Author:  oneLine(commit.Author.Name),
		Time:    commit.Committer.When,
		Files:   &treeFS{store: r.store, folders: l.folders, root: root, time: commit.Committer.When},
	}, nil
}
