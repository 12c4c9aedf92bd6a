package merge

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// edits are changes of entries, by path. An empty entry means that the path is removed.
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

// edit returns a folder with changes applied to it; zero if nothing remains.
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
	return m.made.Folder(list)
}
