package store

import (
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Made has the objects that this program made and that are in no repository. Their keys are the
// hashes that Git would compute.
type Made struct {
	Trees map[plumbing.Hash]*object.Tree
	Files map[plumbing.Hash][]byte
}
