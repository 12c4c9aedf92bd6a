package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// Repo follows one branch of one repository. Its methods may be called from any number of goroutines; fetches happen one
// after the other.
type Repo struct {
	cfg  Config
	addr address
	log  *slog.Logger

	*clone
	known known // valid while since equals clone.renewed
	since int

	lastMu sync.Mutex
	last   *Revision
}

// clone is the part that the folders of a repository share, see [Repo.In].
type clone struct {
	remote remote
	began  atomic.Int64 // number of conversations that have begun
	users  atomic.Int64 // number of folders that are not closed

	busy    chan struct{} // holds one token during a fetch, which owns the fields below
	cache   *store.Cache
	renewed int            // number of times that an empty store was started
	refs    *packp.AdvRefs // of the newest conversation; nil before the first
	refsOf  int64          // the number of that conversation
}

// In follows another folder of the same branch, in the same clone. Each folder can use the commits that another has
// fetched, and folders that ask at the same time send one request.
func (r *Repo) In(path string) *Repo {
	cfg := r.cfg
	cfg.Path = cleanPath(path)
	r.users.Add(1)
	return &Repo{cfg: cfg, addr: r.addr, log: r.log, clone: r.clone}
}

// Last returns the newest revision that Fetch has returned, and false before the first one. It works however long the
// server is away.
func (r *Repo) Last() (Revision, bool) {
	r.lastMu.Lock()
	defer r.lastMu.Unlock()
	if r.last == nil {
		return Revision{}, false
	}
	return *r.last, true
}

// Close releases the cache folder for other processes, once all its folders are closed. Revisions must not be read after
// it.
func (r *Repo) Close() error {
	if r.users.Add(-1) > 0 {
		return nil
	}
	r.busy <- struct{}{}
	defer func() { <-r.busy }()
	return r.cache.Close()
}

// renew starts an empty store, and forgets what was learnt from the old one.
func (r *Repo) renew() {
	r.renewed++
	r.refs = nil
	r.cache.Renew()
}

// Fetch returns the newest revision of the branch, and whether it differs from the one that Fetch returned before. When
// nothing has changed, it takes one request. On an error the caller keeps the revision that it has; NeedsPerson says who
// has to act.
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

// Outline returns the newest commit of the branch and its folders. The folders can be listed and not read: only listed
// names are checked. It does not change Last.
func (r *Repo) Outline(ctx context.Context) (commit string, folders fs.FS, err error) {
	err = r.inConversation(ctx, func(ctx context.Context, conv *conversation) error {
		_, want, err := findBranch(conv.refs, r.cfg.Branch)
		if err != nil {
			return err
		}
		found, err := r.ensureCommitRenewing(ctx, conv, want)
		if err != nil {
			return err
		}
		r.cache.Keep(found.Hash)
		root, err := r.cache.Store().Folder(found.TreeHash, r.cfg.Path)
		commit, folders = found.Hash.String(), r.cache.Store().Outline(root)
		return err
	})
	return commit, folders, err
}

// At returns the revision that ref names: a branch, a tag, a full commit or a full reference such as refs/pull/7/head. It
// does not change Last.
func (r *Repo) At(ctx context.Context, ref string) (Revision, error) {
	return r.fetchRevision(ctx, func(refs *packp.AdvRefs) (string, plumbing.Hash, error) {
		want, err := resolve(refs, ref)
		return ref, want, err
	})
}

type chooser func(*packp.AdvRefs) (name string, want plumbing.Hash, err error)

// fetchRevision is a conversation about a single revision.
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

// inConversation runs one conversation, with a time limit. When the store proves to be broken, it starts an empty store and
// tries again. When a token is refused before it expires, it renews the token and tries again. An error after that is not
// the cache's fault.
func (r *Repo) inConversation(parent context.Context, do func(context.Context, *conversation) error) error {
	asked := r.began.Load()
	select {
	case r.busy <- struct{}{}:
		defer func() { <-r.busy }()
	case <-parent.Done():
		return finish(parent, r.addr, nil, parent.Err())
	}
	ctx, cancel := context.WithTimeoutCause(parent, r.cfg.Timeout,
		fmt.Errorf("no answer within %s", r.cfg.Timeout))
	defer cancel()
	r.cache.Open(ctx)
	var hidden secrets
	var err error
	renewed := false // whether the token was renewed
	for range 3 {
		err = r.converse(ctx, &hidden, asked, do)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return r.explain(ctx, parent, hidden, err)
		case errors.Is(err, ErrCredentials) && !renewed && r.cfg.Auth.renew(ctx):
			renewed = true
			continue
		case errors.Is(err, store.ErrCache):
			r.cache.UseMemory(err)
		case errors.Is(err, store.ErrIncomplete):
			r.log.Warn("the local copy of the repository is damaged; fetching it again", "dir", r.cache.Dir(), "error", err)
		default:
			return r.explain(ctx, parent, hidden, err)
		}
		r.renew()
	}
	return r.explain(ctx, parent, hidden, err)
}

func (r *Repo) explain(ctx, parent context.Context, hidden secrets, err error) error {
	if ctx.Err() != nil && parent.Err() == nil {
		err = failure.New(ErrUnavailable, "%s; it is tried again at the next poll", context.Cause(ctx))
	}
	return finish(parent, r.addr, hidden, err)
}

// fetchChosen asks for a pack only if the wanted commit is not in the store.
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

// unchanged returns the last revision if it is the wanted one and readable.
func (r *Repo) unchanged(name string, want plumbing.Hash) (Revision, bool) {
	last, ok := r.Last()
	if !ok || last.Branch != name || last.Commit != want.String() {
		return Revision{}, false
	}
	files, ok := last.Files.(*store.Files)
	return last, ok && files.Intact()
}

// revision describes a commit in the store, and checks its files' names.
func (r *Repo) revision(ctx context.Context, name string, commit *object.Commit) (Revision, error) {
	root, err := r.cache.Store().Folder(commit.TreeHash, r.cfg.Path)
	if err != nil {
		return Revision{}, err
	}
	return r.describe(ctx, name, commit, root, store.Made{})
}

// describe makes a revision of the folder root, which belongs to a commit or is the result of a merge.
func (r *Repo) describe(ctx context.Context, name string, commit *object.Commit, root plumbing.Hash, made store.Made) (Revision, error) {
	files, err := r.cache.Store().Files(ctx, root, made, sane(commit.Committer.When))
	if err != nil {
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
		Files:   files,
	}, nil
}

// sane returns a time that every format can represent. A commit can name any second and any zone.
func sane(t time.Time) time.Time {
	if t = t.UTC(); t.Year() < 1970 || t.Year() > 9999 {
		return time.Unix(0, 0).UTC()
	}
	return t
}

// rootOf is a clean path, or "" for the repository's root.
func rootOf(path string) string {
	if path == "." {
		return ""
	}
	return path
}
