package source

import (
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// joiner merges two commits: it finds what they share, fetches it, and has the
// configured folders merged.
type joiner struct {
	repo *Repo
	talk *talk
	*merger
	visits  visits
	virtual int // folders made of several shared commits
}

// join returns the merged folder, zero when it is gone, and the commit at
// which the two part. It never takes refs/pull/N/merge: on many servers whoever
// may push can write it, with the right parents and other files.
func (j *joiner) join(base, head *object.Commit) (root, at plumbing.Hash, err error) {
	best, known, err := j.bases(base.Hash, head.Hash)
	if err != nil {
		return root, at, err
	}
	before, err := j.began(best, known, 0)
	if err != nil {
		return root, at, err
	}
	scope := rootOf(j.repo.cfg.Path)
	all, err := j.follow(roots{before, base.TreeHash, head.TreeHash}, scope)
	if err != nil {
		return root, at, err
	}
	for i, h := range all {
		e, err := j.at(h, scope)
		if err != nil {
			return root, at, err
		}
		all[i] = subfolder(e)
	}
	root, err = j.folder(all[0], all[1], all[2], scope)
	if root.IsZero() && err == nil && j.repo.cfg.Path == "." {
		root, err = j.make(nil)
	}
	return root, best[0], err
}

// bases are the newest commits that both share, all of them here.
func (j *joiner) bases(base, head plumbing.Hash) (best []plumbing.Hash, known ancestry, err error) {
	if j.talk.can(capability.Filter) && j.talk.can(capability.AllowReachableSHA1InWant) {
		if best, known, err = j.repo.meet(j.ctx, j.talk, base, head, true, &j.visits); err == nil {
			err = j.bringAll(best)
		}
	} else {
		err = fail(ErrNotFound, "the server sends no commits without their files")
	}
	if !errors.Is(err, ErrNotFound) {
		return best, known, err
	}
	// The server gives nothing but what references lead to: take it all.
	if best, known, err = j.repo.meet(j.ctx, j.talk, base, head, false, &j.visits); err != nil {
		return nil, nil, err
	}
	return best, known, j.bringAll(best)
}

func (j *joiner) bringAll(commits []plumbing.Hash) error {
	for _, h := range commits {
		if _, err := j.repo.bring(j.ctx, j.talk, h); err != nil {
			return err
		}
	}
	return nil
}

const (
	maxBases   = 8  // shared commits, none of which leads to another
	maxNesting = 4  // of histories that crossed again and again
	maxVirtual = 64 // commits that are fetched and merged to tell what both sides began with
)

// began is the root folder that both sides began with. When they had been merged
// into each other crosswise there are several such, and it is what these
// would give when merged, as git does it: a file in which they conflict is
// like no other.
func (j *joiner) began(best []plumbing.Hash, known ancestry, depth int) (plumbing.Hash, error) {
	if j.virtual += len(best); len(best) > maxBases || depth > maxNesting || j.virtual > maxVirtual {
		return plumbing.ZeroHash, fail(ErrContent, "the two histories were merged into each other too often to tell what they began with; merge the branch into this one first")
	}
	if err := j.bringAll(best); err != nil {
		return plumbing.ZeroHash, err
	}
	at, err := j.rootAt(best[0])
	for i := 1; i < len(best) && err == nil; i++ {
		var before, next plumbing.Hash
		var shared []plumbing.Hash
		if shared, _, err = known.shared(&j.visits, best[:i], best[i:i+1]); err == nil && len(shared) > 0 {
			before, err = j.began(shared, known, depth+1)
		}
		if err == nil {
			next, err = j.rootAt(best[i])
		}
		if err == nil {
			at, err = j.cross(roots{before, at, next})
		}
	}
	return at, err
}

// cross merges root folders that both sides began with.
func (j *joiner) cross(r roots) (plumbing.Hash, error) {
	j.unsettled++
	defer func() { j.unsettled-- }()
	r, err := j.follow(r, "")
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return j.folder(r[0], r[1], r[2], "")
}

func (j *joiner) rootAt(commit plumbing.Hash) (plumbing.Hash, error) {
	c, err := j.store.commit(commit)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return c.TreeHash, nil
}

// folderOf finds the configured folder of a commit; zero if it has none.
func (j *joiner) folderOf(c *object.Commit) (plumbing.Hash, error) {
	e, err := j.at(c.TreeHash, rootOf(j.repo.cfg.Path))
	return subfolder(e), err
}
