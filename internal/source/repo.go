package source

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
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
	known known

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
	rev, err = r.one(ctx, func(refs *packp.AdvRefs) (string, plumbing.Hash, error) {
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
	return r.one(ctx, func(refs *packp.AdvRefs) (string, plumbing.Hash, error) {
		want, err := resolve(refs, ref)
		return ref, want, err
	})
}

type chooser func(*packp.AdvRefs) (name string, want plumbing.Hash, err error)

// one is a look at a single revision.
func (r *Repo) one(ctx context.Context, choose chooser) (rev Revision, err error) {
	err = r.look(ctx, func(ctx context.Context, t *talk) (err error) {
		rev, err = r.single(ctx, t, choose)
		return err
	})
	if err != nil {
		return Revision{}, err
	}
	return rev, nil
}

// look is one conversation, bounded in time. A store that turns out to be
// broken is replaced and tried once more; what fails then is not the cache's
// fault.
func (r *Repo) look(parent context.Context, have func(context.Context, *talk) error) error {
	select {
	case r.busy <- struct{}{}:
		defer func() { <-r.busy }()
	case <-parent.Done():
		return finish(parent, r.addr, nil, parent.Err())
	}
	ctx, cancel := context.WithTimeoutCause(parent, r.cfg.Timeout,
		fmt.Errorf("no answer within %s", r.cfg.Timeout))
	defer cancel()
	r.openCache(ctx)
	var hidden secrets
	var err error
	for range 3 {
		err = r.talk(ctx, &hidden, have)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return r.explain(ctx, parent, hidden, err)
		case errors.Is(err, errCache):
			r.log.Warn("cannot use the cache folder; going on in memory", "dir", r.cfg.Dir, "error", err)
			r.cfg.Dir = ""
		case errors.Is(err, errIncomplete):
			r.log.Warn("the local copy of the repository is damaged; fetching it anew", "dir", r.cfg.Dir, "error", err)
		default:
			return r.explain(ctx, parent, hidden, err)
		}
		r.renew()
	}
	return r.explain(ctx, parent, hidden, err)
}

func (r *Repo) explain(ctx, parent context.Context, hidden secrets, err error) error {
	if ctx.Err() != nil && parent.Err() == nil {
		err = fail(ErrUnavailable, "%s; it is tried again at the next poll", context.Cause(ctx))
	}
	return finish(parent, r.addr, hidden, err)
}

// single asks for a pack only if the wanted commit is not here yet.
func (r *Repo) single(ctx context.Context, t *talk, choose chooser) (Revision, error) {
	name, want, err := choose(t.refs)
	if err != nil {
		return Revision{}, err
	}
	if rev, ok := r.unchanged(name, want); ok {
		return rev, nil
	}
	commit, err := r.obtain(ctx, t, want)
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

// revision describes a commit that is here, and checks its files' names.
func (r *Repo) revision(ctx context.Context, name string, commit *object.Commit) (Revision, error) {
	root, err := r.store.subtree(commit.TreeHash, r.cfg.Path)
	if err != nil {
		return Revision{}, err
	}
	return r.describe(ctx, name, commit, root, made{})
}

// describe makes a revision of the folder root, which belongs to a commit or
// was made of several.
func (r *Repo) describe(ctx context.Context, name string, commit *object.Commit, root plumbing.Hash, m made) (Revision, error) {
	l := listing{store: r.store, made: m.trees, ctx: ctx, folders: map[plumbing.Hash]*folder{}}
	if _, err := l.read(root, "", 0); err != nil {
		return Revision{}, err
	}
	parent := ""
	if len(commit.ParentHashes) > 0 {
		parent = commit.ParentHashes[0].String()
	}
	return Revision{
		Commit:  commit.Hash.String(),
		Parent:  parent,
		Branch:  name,
		Subject: oneLine(commit.Message),
		Author:  oneLine(commit.Author.Name),
		Time:    sane(commit.Committer.When),
		Tree:    root.String(),
		Root:    rootOf(r.cfg.Path),
		Files:   &treeFS{store: r.store, made: m.files, folders: l.folders, root: root, time: sane(commit.Committer.When)},
	}, nil
}

// sane is a time that every format can say. A commit can name any second and
// any zone.
func sane(t time.Time) time.Time {
	if t = t.UTC(); t.Year() < 1970 || t.Year() > 9999 {
		return time.Unix(0, 0).UTC()
	}
	return t
}

// rootOf is a clean path, or nothing for the repository's root.
func rootOf(path string) string {
	if path == "." {
		return ""
	}
	return path
}
