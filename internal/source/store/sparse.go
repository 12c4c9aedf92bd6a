package store

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Sparse returns a folder that contains only the given folders of root, each at its path. It adds the folders that it
// makes to made. Without folders, it returns root. A folder that does not exist is an error.
func (s *Store) Sparse(root plumbing.Hash, folders []string, made Made) (plumbing.Hash, error) {
	if len(folders) == 0 {
		return root, nil
	}
	return s.sparse(root, "", folders, made)
}

func (s *Store) sparse(at plumbing.Hash, walked string, folders []string, made Made) (plumbing.Hash, error) {
	below := map[string][]string{}
	for _, folder := range folders {
		if folder == "." {
			return at, nil
		}
		part, rest, found := strings.Cut(folder, "/")
		if !found {
			rest = "."
		}
		below[part] = append(below[part], rest)
	}
	t := made.Trees[at]
	if at.IsZero() {
		t = &object.Tree{}
	}
	if t == nil {
		var err error
		if t, err = s.Tree(at); err != nil {
			return at, err
		}
	}
	var entries []object.TreeEntry
	for _, part := range slices.Sorted(maps.Keys(below)) {
		i := slices.IndexFunc(t.Entries, func(e object.TreeEntry) bool { return e.Name == part })
		if i < 0 || t.Entries[i].Mode != filemode.Dir {
			return at, pathError("source.overlays", walked+part, walked, part, t.Entries, i)
		}
		sub, err := s.sparse(t.Entries[i].Hash, walked+part+"/", below[part], made)
		if err != nil {
			return at, err
		}
		entries = append(entries, object.TreeEntry{Name: part, Mode: filemode.Dir, Hash: sub})
	}
	return made.Folder(entries)
}
