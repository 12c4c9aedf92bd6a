package source

import (
	"context"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/stackreeve/stackreeve/internal/source/store"
)

// Repo reads one folder of one branch of a repository. Its methods may be called from any number of goroutines, but only
// one fetch runs at a time.
type Repo struct {
	cfg  Config
	addr address
	log  *slog.Logger

	*clone
	known known // valid only if since equals clone.renewed
	since int

	lastMu   sync.Mutex
	last     *Revision
	lastTags *string // the tags at the last call of TagsChanged
}

// clone is the data that the folders of a repository share; see [Repo.In].
type clone struct {
	remote remote
	began  atomic.Int64 // number of conversations that have begun
	users  atomic.Int64 // number of folders (Repos) that are not closed

	verified verdicts

	busy    chan struct{} // has an element during a fetch; only that fetch uses the fields below
	cache   *store.Cache
	renewed int            // number of times that an empty store was started
	refs    *packp.AdvRefs // the references of the newest conversation; nil before the first one
	refsOf  int64          // the number of that conversation
}

// In returns a Repo for another folder of the same branch, in the same clone. folders are [Config.Folders]. Each folder can
// use the commits that another one has fetched. Folders that fetch at the same time send one request.
func (r *Repo) In(path string, folders ...string) *Repo {
	cfg := r.cfg
	cfg.Path, cfg.Folders = CleanPath(path), folders
	r.users.Add(1)
	return &Repo{cfg: cfg, addr: r.addr, log: r.log, clone: r.clone}
}

// Last returns the newest revision that Fetch or [Repo.Pinned] has returned; ok is false before the first one. It also
// works while the server is unreachable.
func (r *Repo) Last() (Revision, bool) {
	r.lastMu.Lock()
	defer r.lastMu.Unlock()
	if r.last == nil {
		return Revision{}, false
	}
	return *r.last, true
}

// Close releases the cache folder for other processes, once all Repos of the clone are closed. Revisions must not be read
// after that.
func (r *Repo) Close() error {
	if r.users.Add(-1) > 0 {
		return nil
	}
	r.busy <- struct{}{}
	defer func() { <-r.busy }()
	return r.cache.Close()
}

// renew starts an empty store, and drops the data about the old one.
func (r *Repo) renew() {
	r.renewed++
	r.refs = nil
	r.cache.Renew()
}

// Outline returns the newest commit of the branch, and its folders. The folders can be listed, but their files cannot be
// read. Only listed names are checked. Outline does not change Last.
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

// At returns the revision of ref, which is a branch, a tag, a full commit or a full reference such as refs/pull/7/head.
// It does not change Last.
func (r *Repo) At(ctx context.Context, ref string) (Revision, error) {
	return r.fetchRevision(ctx, func(refs *packp.AdvRefs) (string, plumbing.Hash, error) {
		want, err := resolve(refs, ref)
		return ref, want, err
	})
}

// revision returns the revision of a commit in the store, after a check of its files' names.
func (r *Repo) revision(ctx context.Context, name string, commit *object.Commit) (Revision, error) {
	root, err := r.cache.Store().Folder(commit.TreeHash, r.cfg.Path)
	if err != nil {
		return Revision{}, err
	}
	made := store.Made{Trees: map[plumbing.Hash]*object.Tree{}}
	if root, err = r.cache.Store().Sparse(root, r.cfg.Folders, made); err != nil {
		return Revision{}, err
	}
	return r.describe(ctx, name, commit, root, made)
}

// describe returns a revision of the folder root. The folder belongs to a commit, or is the result of a merge.
func (r *Repo) describe(ctx context.Context, name string, commit *object.Commit, root plumbing.Hash, made store.Made) (Revision, error) {
	files, err := r.cache.Store().Files(ctx, root, made, validTime(commit.Committer.When))
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
		Time:    validTime(commit.Committer.When),
		Tree:    root.String(),
		Root:    rootOf(r.cfg.Path),
		Files:   files,
	}, nil
}

// validTime replaces a time that some formats cannot represent. A commit can contain any second and any time zone.
func validTime(t time.Time) time.Time {
	if t = t.UTC(); t.Year() < 1970 || t.Year() > 9999 {
		return time.Unix(0, 0).UTC()
	}
	return t
}

// rootOf returns a clean path; "" for the repository's root.
func rootOf(path string) string {
	if path == "." {
		return ""
	}
	return path
}
