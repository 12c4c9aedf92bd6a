package source

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/moves"
)

// maxWalked is how many entries are looked at to find what was moved.
const maxWalked = 5 * maxEntries

// walk takes note of the files that are only before or only after, on either
// side. lost are the highest folders above that a side has no more.
func (f *follower) walk(path string, r roots, lost [2]string) error {
	if r[0] == r[1] && r[0] == r[2] {
		return nil
	}
	if strings.Count(path, "/") > maxTreeDepth {
		return errTooDeep
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
		if err := f.note(path, leaf(before), [2]object.TreeEntry{leaf(after[0]), leaf(after[1])}, lost); err != nil {
			return err
		}
		if err := f.walk(path, roots{subfolder(before), subfolder(after[0]), subfolder(after[1])}, lost); err != nil {
			return err
		}
	}
	return nil
}

func (f *follower) note(path string, before object.TreeEntry, after [2]object.TreeEntry, lost [2]string) error {
	for i := range f.sides {
		s, here, other := &f.sides[i], after[i], after[1-i]
		switch {
		case before.Hash.IsZero() == here.Hash.IsZero():
			continue
		case here.Hash.IsZero():
			s.gone = append(s.gone, fileAt(path, before))
			if !same(before, other) {
				s.asked[path] = true
			}
		default:
			s.come = append(s.come, fileAt(path, here))
			if lost[1-i] != "" {
				other := f.sides[1-i].homeless
				other[lost[1-i]] = append(other[lost[1-i]], path)
			}
		}
		if len(s.gone)+len(s.come) > maxEntries {
			return fail(ErrContent, "more than %d files came or went on one side of the merge; merge the branch into this one first", maxEntries)
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

// maxLevels is how many entries of folders are kept at hand.
const maxLevels = 2 * maxEntries

// level reads one folder's entries, by name; they are not to be changed.
func (m *merger) level(h plumbing.Hash, path string) (map[string]object.TreeEntry, error) {
	if h.IsZero() {
		return nil, nil
	}
	if entries, ok := m.levels[h]; ok {
		return entries, nil
	}
	if err := m.ctx.Err(); err != nil {
		return nil, err
	}
	t, err := m.tree(h)
	if err != nil {
		return nil, err
	}
	entries := make(map[string]object.TreeEntry, len(t.Entries))
	for _, e := range t.Entries {
		if _, twice := entries[e.Name]; twice {
			return nil, fail(ErrContent, "the name %q is twice in %q; commit it again with git", clip(e.Name, maxNameShown), clip(path, maxNameShown))
		}
		entries[e.Name] = e
	}
	if m.kept += len(entries); m.levels == nil || m.kept > maxLevels {
		m.levels, m.kept = map[plumbing.Hash]map[string]object.TreeEntry{}, len(entries)
	}
	m.levels[h] = entries
	return entries, nil
}

// at is what a root has at a path; an empty entry if nothing.
func (m *merger) at(root plumbing.Hash, path string) (e object.TreeEntry, err error) {
	e = object.TreeEntry{Mode: filemode.Dir, Hash: root}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" {
			break
		}
		here := subfolder(e)
		if here.IsZero() {
			return object.TreeEntry{}, nil
		}
		entries, err := m.level(here, path)
		if err != nil {
			return e, err
		}
		found, ok := entries[part]
		if !ok {
			return object.TreeEntry{}, nil
		}
		e = found
	}
	return e, nil
}

// free tells whether a file can be put at a path: nothing is there, and no file
// stands where its folders would.
func (m *merger) free(root plumbing.Hash, path string) (bool, error) {
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		e, err := m.at(root, path[:i])
		if err != nil || !leaf(e).Hash.IsZero() {
			return false, err
		}
	}
	e, err := m.at(root, path)
	return e.Hash.IsZero(), err
}

// edits are changes of entries, by path; an empty one removes.
type edits struct {
	entries map[string]object.TreeEntry
	below   map[string]*edits
}

func (c *edits) set(path string, e object.TreeEntry) {
	name, rest, deeper := strings.Cut(path, "/")
	if !deeper {
		if c.entries == nil {
			c.entries = map[string]object.TreeEntry{}
		}
		c.entries[name] = e
		return
	}
	if c.below == nil {
		c.below = map[string]*edits{}
	}
	if c.below[name] == nil {
		c.below[name] = &edits{}
	}
	c.below[name].set(rest, e)
}

// edit returns a folder with changes made to it; zero when nothing is left.
func (m *merger) edit(h plumbing.Hash, c *edits) (plumbing.Hash, error) {
	before, err := m.level(h, "")
	if err != nil {
		return h, err
	}
	entries := make(map[string]object.TreeEntry, len(before))
	maps.Copy(entries, before)
	for name, deeper := range c.below {
		below, err := m.edit(subfolder(entries[name]), deeper)
		if err != nil {
			return h, err
		}
		switch {
		case !below.IsZero():
			entries[name] = object.TreeEntry{Mode: filemode.Dir, Hash: below}
		case entries[name].Mode == filemode.Dir:
			delete(entries, name)
		}
	}
	for name, e := range c.entries {
		if e.Hash.IsZero() {
			if entries[name].Mode != filemode.Dir {
				delete(entries, name)
			}
			continue
		}
		entries[name] = e
	}
	if len(entries) == 0 {
		return plumbing.ZeroHash, nil
	}
	list := make([]object.TreeEntry, 0, len(entries))
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		e := entries[name]
		e.Name = name
		list = append(list, e)
	}
	return m.make(list)
}
