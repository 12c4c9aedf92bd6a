package store

import (
	"sort"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Made has the objects that this program made and that are in no repository. Their keys are the
// hashes that Git would compute.
type Made struct {
	Trees map[plumbing.Hash]*object.Tree
	Files map[plumbing.Hash][]byte
}

// Folder makes a folder of entries.
func (m Made) Folder(entries []object.TreeEntry) (plumbing.Hash, error) {
	sort.Sort(object.TreeEntrySorter(entries))
	tree := &object.Tree{Entries: entries}
	o := &plumbing.MemoryObject{}
	if err := tree.Encode(o); err != nil {
		return plumbing.ZeroHash, err
	}
	tree.Hash = o.Hash()
	m.Trees[tree.Hash] = tree
	return tree.Hash, nil
}
