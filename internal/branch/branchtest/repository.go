package branchtest

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"io/fs"
	"strings"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/source"
)

// Sha returns a commit hash that is made from a readable name.
func Sha(name string) string {
	sum := sha1.Sum([]byte(name))
	return hex.EncodeToString(sum[:])
}

func (w *World) last() (source.Revision, bool) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return source.Revision{Commit: w.Base, Branch: "main", Tree: w.Files[w.Base], Root: "clouds", Files: w.folder(w.Base)}, true
}

func (w *World) folder(commit string) fs.FS {
	return fstest.MapFS{"thing.yaml": {Data: []byte(w.Files[commit])}}
}

func (w *World) merged(_ context.Context, head string, under ...string) (source.Merge, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	m := source.Merge{BaseCommit: w.Base, BaseTree: w.Files[w.Base], Head: head, Under: under, Clean: len(under)}
	text := w.Files[head]
	for _, one := range under {
		text = w.Files[one] + " " + text
	}
	if strings.HasPrefix(text, "conflict") {
		m.Conflicts = []string{"clouds/thing.yaml"}
		return m, nil
	}
	m.Revision = source.Revision{Commit: head, Branch: "main", Tree: text, Root: "clouds", Files: fstest.MapFS{"thing.yaml": {Data: []byte(text)}}}
	return m, nil
}

// TextOf returns the text in a commit's file.
func TextOf(files fs.FS) string {
	text, err := fs.ReadFile(files, "thing.yaml")
	if err != nil {
		return err.Error()
	}
	return string(text)
}
