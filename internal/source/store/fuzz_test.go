package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// FuzzObjects stores any two objects of a server, and reads them as a commit and as a tree.
// Accepted names are valid on every file system, and each error has a text that a terminal can
// show.
func FuzzObjects(f *testing.F) {
	blob := plumbing.ComputeHash(plumbing.BlobObject, []byte("hello"))
	entry := func(mode, name string, to plumbing.Hash) string { return mode + " " + name + "\x00" + string(to[:]) }
	commit := "tree " + plumbing.ComputeHash(plumbing.TreeObject, nil).String() + "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nhello\n"
	f.Add(commit, entry("100644", "a.yaml", blob))
	f.Add(commit+"\n", entry("40000", "..", blob)+entry("100644", "a.yaml", blob)+entry("100644", "a.yaml", blob))
	f.Add("tree x\nparent y\nencoding z\ngpgsig a\n b\n\n", entry("120000", ".git", blob)+entry("160000", "a/b", blob))
	f.Add("", entry("", "\x1b[2J", blob)+"100644 a")
	f.Fuzz(func(t *testing.T, commit, tree string) {
		s := New("")
		pack := rawPack(t,
			rawObject{kind: plumbing.BlobObject, size: 5, data: []byte("hello")},
			rawObject{kind: plumbing.CommitObject, size: uint64(len(commit)), data: []byte(commit)},
			rawObject{kind: plumbing.TreeObject, size: uint64(len(tree)), data: []byte(tree)})
		if err := s.Receive(context.Background(), bytes.NewReader(pack)); err != nil {
			return
		}
		if c, err := s.Commit(plumbing.ComputeHash(plumbing.CommitObject, []byte(commit))); err == nil {
			_ = s.CheckComplete(context.Background(), c) // CheckComplete only has to return
		} else {
			clean(t, err)
		}
		r := folderReader{store: s, ctx: context.Background(), folders: map[plumbing.Hash]*folder{}}
		root, err := r.read(plumbing.ComputeHash(plumbing.TreeObject, []byte(tree)), "", 0)
		if err != nil {
			clean(t, err)
			return
		}
		names := map[string]bool{}
		for _, e := range root.entries {
			if names[e.Name] || !fs.ValidPath(e.Name) || strings.Contains(e.Name, "/") || strings.EqualFold(e.Name, ".git") {
				t.Errorf("a file may be called %q", e.Name)
			}
			names[e.Name] = true
		}
	})
}

// clean checks that a terminal can show the error.
func clean(t *testing.T, err error) {
	t.Helper()
	var known *failure.Error
	if errors.As(err, &known) && strings.ContainsAny(known.Error(), "\x1b\x00\r") {
		t.Errorf("not fit for a terminal: %q", known)
	}
}
