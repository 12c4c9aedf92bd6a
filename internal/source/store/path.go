package store

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// Folder returns the folder at a path below a root folder; "." is the root folder itself.
func (s *Store) Folder(root plumbing.Hash, path string) (plumbing.Hash, error) {
	if path == "." {
		return root, nil
	}
	at, walked := root, ""
	for part := range strings.SplitSeq(path, "/") {
		t, err := s.Tree(at)
		if err != nil {
			return at, err
		}
		i := slices.IndexFunc(t.Entries, func(e object.TreeEntry) bool { return e.Name == part })
		if i < 0 || t.Entries[i].Mode != filemode.Dir {
			return at, pathError("source.path", path, walked, part, t.Entries, i)
		}
		at = t.Entries[i].Hash
		walked += part + "/"
	}
	return at, nil
}

func pathError(setting, path, walked, part string, entries []object.TreeEntry, found int) error {
	if found >= 0 {
		kind := map[filemode.FileMode]string{filemode.Symlink: "a symbolic link", filemode.Submodule: "a submodule"}[entries[found].Mode]
		return failure.NewMissing("the path %q does not exist: %q is %s, not a folder; set %s to a folder", path, walked+part, cmp.Or(kind, "a file"), setting)
	}
	var folders []string
	for _, e := range entries {
		if e.Mode == filemode.Dir {
			folders = append(folders, walked+e.Name)
		}
	}
	return failure.NewMissing("there is no folder %q; set %s or commit it%s", path, setting, failure.NearestHint("folders there", walked+part, folders))
}

// Entry returns the entry at a path below a root folder; ok is false if there is none.
func (s *Store) Entry(root plumbing.Hash, path string) (entry object.TreeEntry, ok bool, err error) {
	tree := root
	parts := strings.Split(path, "/")
	for n, part := range parts {
		t, err := s.Tree(tree)
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
