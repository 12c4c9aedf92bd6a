package store

import (
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Made holds the objects that were made here and are in no repository, by the hashes that Git would
// give them.
type Made struct {
	Trees map[plumbing.Hash]*object.Tree
	Files map[plumbing.Hash][]byte
}
