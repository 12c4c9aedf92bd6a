package source

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// Only the folders of a stack's layers change its tree.
func TestFoldersOfLayers(t *testing.T) {
	g := gittest.New(t)
	first := g.Commit("first", "clouds/base/a.yaml", "1", "clouds/dev/a.yaml", "1", "clouds/prod/a.yaml", "1")
	r := newRepo(t, Config{URL: g.Dir, Branch: "main", Path: "clouds", Folders: []string{"base", "prod"}})
	rev, _ := mustFetch(t, r)
	if rev.Commit != first || readFile(t, rev, "base/a.yaml") != "1" || readFile(t, rev, "prod/a.yaml") != "1" {
		t.Errorf("got %+v", rev)
	}
	if _, err := fs.Stat(rev.Files, "dev"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("dev: %v", err)
	}
	g.Commit("another stack", "clouds/dev/a.yaml", "2", "README.md", "read")
	if other, _ := mustFetch(t, r); other.Tree != rev.Tree || other.Commit == first {
		t.Errorf("a folder that is no layer changed the tree")
	}
	for branch, change := range map[string]struct {
		file string
		same bool
	}{"elsewhere": {"clouds/dev/b.yaml", true}, "below": {"clouds/base/b.yaml", false}} {
		g.Git("switch", "-q", "-c", branch, "main")
		g.Commit(branch, change.file, "new")
		g.Git("switch", "-q", "main")
		m := mustMerge(t, r, branch)
		if (m.Tree == m.BaseTree) != change.same || m.Tree == "" || m.BaseTree != rev.Tree {
			t.Errorf("%s: got %s, the branch has %s", branch, m.Tree, m.BaseTree)
		}
	}
	g.Git("switch", "-q", "-c", "without", "main")
	g.Git("rm", "-q", "-r", "clouds/prod")
	g.Commit("without a layer", "README.md", "less")
	if _, err := r.At(t.Context(), "without"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a commit without a layer: %v", err)
	}
	if _, err := r.Merged(t.Context(), "without"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a merge without a layer: %v", err)
	}
}
