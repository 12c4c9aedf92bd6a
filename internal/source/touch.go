package source

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// Touch is the commit that last changed a file.
type Touch struct {
	Commit  string // 40 hex digits
	Author  string
	Subject string
	Time    time.Time // when it was committed
}

// touchDepths are how many generations are fetched to find who touched a file, and
// maxTouchBytes how much that may be. What was last changed before that is not known.
var touchDepths = []int{32, 512}

const maxTouchBytes = 64 << 20

// LastTouches finds, for files by their paths from the repository's root, the
// commit that last changed them, seen from a commit that Fetch has returned. Of a
// merge it is the commit that brought the file as it is. A file is not in the
// answer when the commit has it not, or when it was last changed longer ago than is
// looked back.
func (r *Repo) LastTouches(ctx context.Context, commit string, files []string) (map[string]Touch, error) {
	found := map[string]Touch{}
	tip := plumbing.NewHash(commit)
	err := r.look(ctx, func(ctx context.Context, t *talk) error {
		if _, err := r.obtain(ctx, t, tip); err != nil {
			return err
		}
		depths := touchDepths
		if !t.can(capability.Shallow) {
			depths = []int{allHistory}
		}
		for _, depth := range append([]int{0}, depths...) {
			if depth > 0 {
				q := query{want: []plumbing.Hash{tip}, have: []plumbing.Hash{tip}, depth: depth, limit: maxTouchBytes}
				if err := t.pack(ctx, q, r.store); err != nil && !errors.Is(err, errNoPack) {
					return r.fetchError(ctx, tip, err)
				}
			}
			sure := true
			for _, file := range files {
				touch, known, err := r.store.lastTouch(ctx, tip, file)
				if err != nil {
					return err
				}
				if sure = sure && known; touch != nil {
					found[file] = *touch
				}
			}
			if sure {
				break
			}
		}
		return nil
	})
	return found, err
}

// maxWalk is how many commits are walked for one file.
const maxWalk = 100_000

// lastTouch walks back while a parent has the file as it is. known is false when
// the history that is here ends before the answer; touch is nil then, and when
// there is no such file.
func (s *store) lastTouch(ctx context.Context, tip plumbing.Hash, file string) (touch *Touch, known bool, err error) {
	at, err := s.commit(tip)
	if err != nil {
		return nil, false, err
	}
	now, ok, err := s.entryAt(at, file)
	if err != nil || !ok {
		return nil, err == nil, err
	}
	for range maxWalk {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		next, cut := s.parentWith(at, file, now)
		switch {
		case next != nil:
			at = next
		case cut:
			return nil, false, nil
		default:
			return &Touch{Commit: at.Hash.String(), Author: oneLine(at.Author.Name), Subject: oneLine(at.Message), Time: sane(at.Committer.When)}, true, nil
		}
	}
	return nil, true, nil
}

// parentWith is the first parent that has the file as it is; cut is true when there
// is none among those that are here, and others are not.
func (s *store) parentWith(c *object.Commit, file string, is object.TreeEntry) (parent *object.Commit, cut bool) {
	for _, h := range c.ParentHashes {
		p, err := s.commit(h)
		if err != nil {
			cut = true
			continue
		}
		before, ok, err := s.entryAt(p, file)
		if ok && before.Hash == is.Hash && before.Mode == is.Mode {
			return p, false
		}
		cut = cut || err != nil
	}
	return nil, cut
}

// entryAt is a commit's entry for a file; ok is false when it has none.
func (s *store) entryAt(c *object.Commit, file string) (entry object.TreeEntry, ok bool, err error) {
	tree := c.TreeHash
	parts := strings.Split(file, "/")
	for n, part := range parts {
		t, err := s.tree(tree)
		if err != nil {
			return entry, false, err
		}
		i := slices.IndexFunc(t.Entries, func(e object.TreeEntry) bool { return e.Name == part })
		if i < 0 || n < len(parts)-1 && t.Entries[i].Mode != filemode.Dir {
			return entry, false, nil
		}
		entry = t.Entries[i]
		tree = entry.Hash
	}
	return entry, true, nil
}
