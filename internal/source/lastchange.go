package source

import (
	"context"
	"errors"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/stackreeve/stackreeve/internal/source/merge"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// LastChange is the commit that last changed a file.
type LastChange struct {
	Commit  string // 40 hex digits
	Author  string
	Subject string
	Time    time.Time // the time of the commit
}

// lastChangeDepths are the numbers of generations that are fetched, one after the other, to find a
// file's last change. maxLastChangeBytes limits the size of each fetch. A last change that is older
// remains unknown.
var lastChangeDepths = []int{32, 512}

const maxLastChangeBytes = 64 << 20

// LastChanges finds the commits that last changed files. The search begins at a commit that Fetch
// has returned, and goes back in the history. The files are paths from the repository's root. If a
// merge has taken a file from one parent unchanged, the search continues in that parent. A file is
// missing in the result if the commit does not contain it, or if its last change is older than the
// fetched history.
func (r *Repo) LastChanges(ctx context.Context, commit string, files []string) (map[string]LastChange, error) {
	found := map[string]LastChange{}
	tip := plumbing.NewHash(commit)
	err := r.inConversation(ctx, func(ctx context.Context, conv *conversation) error {
		if _, err := r.ensureCommitRenewing(ctx, conv, tip); err != nil {
			return err
		}
		depths := lastChangeDepths
		if !conv.can(capability.Shallow) {
			depths = []int{merge.AllHistory}
		}
		for _, depth := range append([]int{0}, depths...) {
			if depth > 0 {
				q := query{want: []plumbing.Hash{tip}, have: []plumbing.Hash{tip}, depth: depth, limit: maxLastChangeBytes}
				if err := conv.fetch(ctx, q, r.cache.Store()); err != nil && !errors.Is(err, errNoPack) {
					return r.fetchError(ctx, tip, err)
				}
			}
			if sure, err := addLastChanges(ctx, r.cache.Store(), tip, files, found); err != nil || sure {
				return err
			}
		}
		return nil
	})
	return found, err
}

// addLastChanges adds the last changes that the history in a store shows. sure is false if more
// history could show more of them.
func addLastChanges(ctx context.Context, s *store.Store, tip plumbing.Hash, files []string, found map[string]LastChange) (sure bool, err error) {
	sure = true
	for _, file := range files {
		change, known, err := lastChange(ctx, s, tip, file)
		if err != nil {
			return false, err
		}
		if sure = sure && known; change != nil {
			found[file] = *change
		}
	}
	return sure, nil
}

// maxWalk limits the number of commits that are visited for one file.
const maxWalk = 100_000

// lastChange follows the parents that have the same file. If the history in the store ends before the last
// change, it returns nil and false. If there is no such file, it returns nil and true.
func lastChange(ctx context.Context, s *store.Store, tip plumbing.Hash, file string) (change *LastChange, known bool, err error) {
	at, err := s.Commit(tip)
	if err != nil {
		return nil, false, err
	}
	now, ok, err := s.Entry(at.TreeHash, file)
	if err != nil || !ok {
		return nil, err == nil, err
	}
	for range maxWalk {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		next, cut := parentWith(s, at, file, now)
		switch {
		case next != nil:
			at = next
		case cut:
			return nil, false, nil
		default:
			return &LastChange{Commit: at.Hash.String(), Author: oneLine(at.Author.Name), Subject: oneLine(at.Message), Time: validTime(at.Committer.When)}, true, nil
		}
	}
	return nil, true, nil
}

// parentWith returns the first parent that has the same file. cut is true if no parent in the store
// has it, and another parent is not in the store.
func parentWith(s *store.Store, c *object.Commit, file string, is object.TreeEntry) (parent *object.Commit, cut bool) {
	for _, h := range c.ParentHashes {
		p, err := s.Commit(h)
		if err != nil {
			cut = true
			continue
		}
		before, ok, err := s.Entry(p.TreeHash, file)
		if ok && before.Hash == is.Hash && before.Mode == is.Mode {
			return p, false
		}
		cut = cut || err != nil
	}
	return nil, cut
}
