package merge

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/merge/threeway"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// merger merges folders, entry by entry. The trees and files that it makes are in no repository.
//
//	one side changed the entry              the result is that side's entry
//	both sides made the same change         the result is the changed entry
//	both sides changed a file differently   the file is merged line by line, or conflicts
//	any other case                          the entry conflicts
type merger struct {
	ctx            context.Context
	store          *store.Store
	made           store.Made
	conflicts      []string
	attributes     *attributes
	from           map[string]string // earlier paths of moved files
	unsettled      int               // above 0, a conflict only becomes an entry that differs from every other
	conflictHashes map[plumbing.Hash]bool
	levels         map[plumbing.Hash]map[string]object.TreeEntry // the folders that the method level has read
	kept           int                                           // number of entries in levels
	steps          int
	bytes          int64 // total length of the texts that were merged line by line
	work           threeway.Work
	merged         map[[3]plumbing.Hash]lined // results of the method lines, by the hashes of the three texts
}

// lined is the result of a line-by-line merge of three texts.
type lined struct {
	hash plumbing.Hash
	ok   bool
}

func newMerger(ctx context.Context, s *store.Store) *merger {
	return &merger{
		ctx: ctx, store: s, made: store.Made{Trees: map[plumbing.Hash]*object.Tree{}, Files: map[plumbing.Hash][]byte{}},
		conflictHashes: map[plumbing.Hash]bool{}, work: maxLineSteps, merged: map[[3]plumbing.Hash]lined{},
	}
}

// folder merges two folders with the common ancestor before. The zero hash is a folder that does
// not exist, which is treated as an empty one.
func (m *merger) folder(before, ours, theirs plumbing.Hash, path string) (plumbing.Hash, error) {
	switch {
	case ours == theirs, before == theirs:
		return ours, nil
	case before == ours:
		return theirs, nil
	}
	if strings.Count(path, "/") > store.MaxTreeDepth {
		return before, store.ErrTooDeep
	}
	var entries [3]map[string]object.TreeEntry
	names := map[string]bool{}
	for i, h := range []plumbing.Hash{before, ours, theirs} {
		var err error
		if entries[i], err = m.level(h, path); err != nil {
			return h, err
		}
		for name := range entries[i] {
			names[name] = true
		}
	}
	if m.steps += len(names); m.steps > store.MaxEntries {
		return before, failure.New(failure.ErrContent, "there are more than %d differences to merge; set source.path to a smaller folder", store.MaxEntries)
	}
	var merged []object.TreeEntry
	for _, name := range slices.Sorted(maps.Keys(names)) {
		here, err := m.entry(entries[0][name], entries[1][name], entries[2][name], join(path, name))
		if err != nil {
			return before, err
		}
		if here.Mode != filemode.Empty {
			here.Name = name
			merged = append(merged, here)
		}
	}
	if len(merged) == 0 {
		return plumbing.ZeroHash, nil
	}
	return m.made.Folder(merged)
}

// entry merges the entries with the same name. The result cannot have both a file and a folder with
// that name.
func (m *merger) entry(before, ours, theirs object.TreeEntry, path string) (object.TreeEntry, error) {
	below, err := m.folder(subfolder(before), subfolder(ours), subfolder(theirs), path)
	if err != nil {
		return object.TreeEntry{}, err
	}
	file, err := m.file(leaf(before), leaf(ours), leaf(theirs), path)
	switch {
	case err != nil || below.IsZero():
		return file, err
	case file.Mode != filemode.Empty:
		m.recordConflict(path)
	}
	return object.TreeEntry{Mode: filemode.Dir, Hash: below}, nil
}

// file merges two files with the common ancestor before, by git's own rules.
func (m *merger) file(before, ours, theirs object.TreeEntry, path string) (object.TreeEntry, error) {
	switch {
	case same(ours, theirs), same(before, theirs):
		return ours, nil
	case same(before, ours):
		return theirs, nil
	case ours.Mode == filemode.Empty || theirs.Mode == filemode.Empty, kindOf(ours) != kindOf(theirs):
		return m.recordConflict(path), nil
	}
	result := object.TreeEntry{Mode: theirs.Mode}
	if ours.Mode != theirs.Mode && ours.Mode != before.Mode {
		if result.Mode = ours.Mode; theirs.Mode != before.Mode {
			return m.recordConflict(path), nil
		}
	}
	switch {
	case ours.Hash == theirs.Hash, ours.Hash == before.Hash:
		result.Hash = theirs.Hash
		return result, nil
	case theirs.Hash == before.Hash:
		result.Hash = ours.Hash
		return result, nil
	case kindOf(ours) != filemode.Regular:
		return m.recordConflict(path), nil
	}
	if kindOf(before) != filemode.Regular {
		before = object.TreeEntry{}
	}
	if ruled, err := m.recordMergeRules(path); err != nil || ruled {
		return m.recordConflict(path), err
	}
	of := [3]plumbing.Hash{before.Hash, ours.Hash, theirs.Hash}
	text, known := m.merged[of]
	if !known {
		var err error
		if text, err = m.lines(of); err != nil {
			return object.TreeEntry{}, err
		}
		m.merged[of] = text
	}
	if !text.ok {
		return m.recordConflict(path), nil
	}
	result.Hash = text.hash
	return result, nil
}

func same(a, b object.TreeEntry) bool { return a.Mode == b.Mode && a.Hash == b.Hash }

// kindOf returns a file's mode without its permissions.
func kindOf(e object.TreeEntry) filemode.FileMode {
	if e.Mode.IsRegular() || e.Mode == filemode.Executable || e.Mode == filemode.Deprecated {
		return filemode.Regular
	}
	return e.Mode
}

// subfolder returns the folder of an entry; zero if the entry is not a folder.
func subfolder(e object.TreeEntry) plumbing.Hash {
	if e.Mode == filemode.Dir {
		return e.Hash
	}
	return plumbing.ZeroHash
}

// leaf returns the entry if it is not a folder, and otherwise the empty entry.
func leaf(e object.TreeEntry) object.TreeEntry {
	if e.Mode == filemode.Dir {
		return object.TreeEntry{}
	}
	return e
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}
