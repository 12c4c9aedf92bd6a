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
	Time    time.Time // when it was committed
}

// lastChangeDepths are how many generations are fetched to find who changed a file
// last, and maxLastChangeBytes how much that may be. What was last changed before
// that is not known.
var lastChangeDepths = []int{32, 512}

const maxLastChangeBytes = 64 << 20

// LastChanges finds, for files by their paths from the repository's root, the
// commit that last changed them, seen from a commit that Fetch has returned. Of a
// merge it is the commit that the file came with as it is. A file is not in the
// answer when the commit does not have it, or when it was last changed before the
// history that is fetched begins.
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

// addLastChanges adds what the history in a store says of files; sure is false when
// more history could say more.
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

// maxWalk is how many commits are walked for one file.
const maxWalk = 100_000

// lastChange walks back while a parent has the file as it is. known is false when
// the history that is here ends before the answer; change is nil then, and when
// there is no such file.
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
			return &LastChange{Commit: at.Hash.String(), Author: oneLine(at.Author.Name), Subject: oneLine(at.Message), Time: sane(at.Committer.When)}, true, nil
		}
	}
	return nil, true, nil
}

// parentWith is the first parent that has the file as it is; cut is true when there
// is none among those that are here, and others are not.
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
