package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// TestUncommitted has every kind of file of a work tree that is missing in the commit, or has
// another form there. It also compares folders outside of a repository, and another work tree.
func TestUncommitted(t *testing.T) {
	other := gittest.New(t)
	other.Commit("first", "s.yaml", "s: 1\n")
	g := gittest.New(t)
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
	g.Commit("first", "prod/plain.yaml", "a: 1\n", "prod/changed.yaml", "a: 1\n", "prod/lfs.yaml", pointer, "prod/sparse/x.yaml", "x: 1\n",
		".gitignore", "generated.yaml\n", "dev/lfs.yaml", pointer)
	if err := os.Symlink("plain.yaml", filepath.Join(g.Dir, "prod/link.yaml")); err != nil {
		t.Fatal(err)
	}
	g.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.Dir, "prod/base")
	g.Commit("second")
	g.Git("update-index", "--skip-worktree", "prod/sparse/x.yaml")
	if err := os.RemoveAll(filepath.Join(g.Dir, "prod/sparse")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(g.Dir, "prod/link.yaml")); err != nil {
		t.Fatal(err)
	}
	g.Write("prod/link.yaml", "plain.yaml") // as git writes it with core.symlinks=false
	g.Write("prod/changed.yaml", "a: 2\n")
	g.Write("prod/lfs.yaml", "a: 3\n") // the text that the filter writes at a checkout
	g.Write("prod/generated.yaml", "g: 1\n")
	g.Write("prod/new.yaml", "n: 1\n")
	g.Write("prod/notes.txt", "n")
	g.Write("prod/.cache/x.yaml", "n: 1\n")

	foreign := func(text []byte) string {
		if strings.HasPrefix(string(text), "version https://git-lfs") {
			return "a pointer"
		}
		return ""
	}
	yaml := func(name string) bool { return strings.HasSuffix(name, ".yaml") }
	want := []Difference{
		{"base", Submodule, ""}, {"generated.yaml", Untracked, ""}, {"lfs.yaml", Converted, "a pointer"}, {"link.yaml", Linked, ""},
		{"new.yaml", Untracked, ""}, {"sparse/x.yaml", CheckedOut, ""},
	}
	got, err := Uncommitted(filepath.Join(g.Dir, "prod"), yaml, foreign)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v\nwant %v", got, err, want)
	}
	if got, err := Uncommitted(t.TempDir(), yaml, foreign); err != nil || len(got) != 0 {
		t.Errorf("without a repository: %v, %v", got, err)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	g.Git("worktree", "add", "-q", "--detach", linked)
	if got, err := Uncommitted(linked, yaml, foreign); err != nil || len(got) != 1 || got[0].How != Submodule {
		t.Errorf("another work tree: %v, %v", got, err)
	}
}
