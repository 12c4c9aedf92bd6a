package merge

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// maxLevels is the number of folder entries that are cached in memory.
const maxLevels = 2 * store.MaxEntries

// level returns one folder's entries by name. Callers must not change the map.
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
			return nil, failure.New(failure.ErrContent, "the folder %q has two entries with the name %q; remove one of them, and commit the folder with git", printable.Clip(path, failure.MaxName), printable.Clip(e.Name, failure.MaxName))
		}
		entries[e.Name] = e
	}
	if m.kept += len(entries); m.levels == nil || m.kept > maxLevels {
		m.levels, m.kept = map[plumbing.Hash]map[string]object.TreeEntry{}, len(entries)
	}
	m.levels[h] = entries
	return entries, nil
}

// at returns the entry at a path below a root folder; the empty entry if there is none.
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

// free reports whether a file can be written to a path: the path does not exist, and no folder of
// the path is a file.
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

// tree returns a folder of the repository, or one that this merge has made.
func (m *merger) tree(h plumbing.Hash) (*object.Tree, error) {
	if t := m.made.Trees[h]; t != nil {
		return t, nil
	}
	return m.store.Tree(h)
}
