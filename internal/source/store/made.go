package store

import (
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Made is what was made here and is in no repository, by the hashes that Git would
// give it.
type Made struct {
	Trees map[plumbing.Hash]*object.Tree
	Files map[plumbing.Hash][]byte
}
