package merge

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/merge/moves"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// maxWalked is the maximal number of entries that are visited to find moved files.
const maxWalked = 5 * store.MaxEntries

// walk records the files that each side has removed or added. lost has, for each side, the highest
// folder above path that the side has removed.
func (f *follower) walk(path string, r roots, lost [2]string) error {
	if r[0] == r[1] && r[0] == r[2] {
		return nil
	}
	if strings.Count(path, "/") > store.MaxTreeDepth {
		return store.ErrTooDeep
	}
	var entries [3]map[string]object.TreeEntry
	names := map[string]bool{}
	for i, h := range r {
		var err error
		if entries[i], err = f.level(h, path); err != nil {
			return err
		}
		for name := range entries[i] {
			names[name] = true
		}
	}
	if f.steps += len(names); f.steps > maxWalked {
		return errEntangled
	}
	for i := range lost {
		if lost[i] == "" && !r[0].IsZero() && r[i+1].IsZero() {
			lost[i] = path
		}
	}
	for name := range names {
		before, after := entries[0][name], [2]object.TreeEntry{entries[1][name], entries[2][name]}
		path := join(path, name)
		if err := f.noteFile(path, leaf(before), [2]object.TreeEntry{leaf(after[0]), leaf(after[1])}, lost); err != nil {
			return err
		}
		if err := f.walk(path, roots{subfolder(before), subfolder(after[0]), subfolder(after[1])}, lost); err != nil {
			return err
		}
	}
	return nil
}

func (f *follower) noteFile(path string, before object.TreeEntry, after [2]object.TreeEntry, lost [2]string) error {
	for i := range f.sides {
		s, here, other := &f.sides[i], after[i], after[1-i]
		switch {
		case before.Hash.IsZero() == here.Hash.IsZero():
			continue
		case here.Hash.IsZero():
			s.removed = append(s.removed, fileAt(path, before))
			if !same(before, other) {
				s.asked[path] = true
			}
		default:
			s.added = append(s.added, fileAt(path, here))
			if lost[1-i] != "" {
				other := f.sides[1-i].addedToRemovedFolders
				other[lost[1-i]] = append(other[lost[1-i]], path)
			}
		}
		if len(s.removed)+len(s.added) > store.MaxEntries {
			return failure.New(failure.ErrContent, "more than %d files were added or removed on one side of the merge; first merge the target branch into this branch", store.MaxEntries)
		}
	}
	return nil
}

func fileAt(path string, e object.TreeEntry) moves.File {
	f := moves.File{Path: path, Hash: e.Hash}
	if kind := kindOf(e); kind != filemode.Regular {
		f.Mode = uint32(kind)
	}
	return f
}
