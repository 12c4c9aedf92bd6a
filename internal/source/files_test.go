package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/source/store"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func TestFileSystem(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "z.yaml", "z", "a/b/c.yaml", "c", "a/b.yaml", "", "a-b/d.yaml", "d", "a.yaml", "a", "ünïcode name", "u", `back\slash`, "s")
	g.Git("rm", "-q", `back\slash`)
	g.Commit("second")
	for _, dir := range []string{"", t.TempDir()} {
		rev, _ := mustFetch(t, newRepo(t, Config{URL: g.Dir, Dir: dir}))
		if err := fstest.TestFS(rev.Files, "z.yaml", "a/b/c.yaml", "a/b.yaml", "a-b/d.yaml", "a.yaml", "ünïcode name"); err != nil {
			t.Error(err)
		}
		sub, _ := mustFetch(t, newRepo(t, Config{URL: g.Dir, Dir: dir, Path: "./a//"}))
		if err := fstest.TestFS(sub.Files, "b/c.yaml", "b.yaml"); err != nil {
			t.Error(err)
		}
	}
}

func TestModesAndSizes(t *testing.T) {
	g := gittest.New(t)
	lfs := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 9\n"
	g.Commit("first", "plain", strings.Repeat("x", 100_000), "run.sh", "#!", "folder/f", "", "big.bin", lfs)
	if err := os.Chmod(filepath.Join(g.Dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../etc/passwd", filepath.Join(g.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	head := g.Git("rev-parse", "HEAD")
	g.Git("update-index", "--add", "--cacheinfo", "160000,"+head+",module")
	g.Git("add", "run.sh", "link")
	g.Git("commit", "-q", "-m", "second")

	rev, _ := mustFetch(t, newRepo(t, Config{URL: g.Dir}))
	for name, want := range map[string]struct {
		mode fs.FileMode
		size int64
	}{
		"plain":    {0o644, 100_000},
		"run.sh":   {0o755, 2},
		"folder":   {fs.ModeDir | 0o755, 0},
		"folder/f": {0o644, 0},
		"link":     {fs.ModeSymlink | 0o777, 16},
		"module":   {fs.ModeIrregular, 0},
		"big.bin":  {0o644, int64(len(lfs))},
	} {
		info, err := fs.Stat(rev.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want.mode || info.Size() != want.size || !info.ModTime().Equal(rev.Time) {
			t.Errorf("%s: mode %v, size %d, time %v; want %v, %d, %v", name, info.Mode(), info.Size(), info.ModTime(), want.mode, want.size, rev.Time)
		}
	}
	if readFile(t, rev, "big.bin") != lfs {
		t.Error("an LFS pointer was changed")
	}
	for name, want := range map[string]error{"link": ErrSymlink, "link/below": ErrSymlink, "module": ErrSubmodule, "module/x": ErrSubmodule,
		"none": fs.ErrNotExist, "plain/x": fs.ErrNotExist, "/plain": fs.ErrInvalid, "../plain": fs.ErrInvalid, "a/../plain": fs.ErrInvalid} {
		if _, err := rev.Files.Open(name); !errors.Is(err, want) {
			t.Errorf("Open(%q) = %v, want %v", name, err, want)
		}
		if _, err := fs.ReadFile(rev.Files, name); !errors.Is(err, want) {
			t.Errorf("ReadFile(%q) = %v, want %v", name, err, want)
		}
		if _, err := fs.ReadDir(rev.Files, name); !errors.Is(err, want) {
			t.Errorf("ReadDir(%q) = %v, want %v", name, err, want)
		}
	}
	if _, err := fs.ReadFile(rev.Files, "folder"); err == nil {
		t.Error("a folder can be read as a file")
	}
}

// commitTree commits a tree that git itself would not make.
func commitTree(t testing.TB, g *gittest.Repo, entries ...string) {
	t.Helper()
	var raw strings.Builder
	for _, e := range entries {
		mode, rest, _ := strings.Cut(e, " ")
		hash, name, _ := strings.Cut(rest, " ")
		var binary []byte
		fmt.Sscanf(hash, "%x", &binary)
		fmt.Fprintf(&raw, "%s %s\x00%s", mode, name, binary)
	}
	tree := g.GitWith(raw.String(), "hash-object", "-t", "tree", "-w", "--stdin", "--literally")
	g.Git("update-ref", "refs/heads/main", g.Git("commit-tree", "-m", "hostile", strings.TrimSpace(tree)))
}

func TestHostileNames(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	for name, entries := range map[string][]string{
		"parent":       {"100644 BLOB .."},
		"itself":       {"100644 BLOB ."},
		"git":          {"40000 TREE .git"},
		"Git":          {"40000 TREE .GiT"},
		"slash":        {"100644 BLOB ../../etc/passwd"},
		"absolute":     {"100644 BLOB /etc/passwd"},
		"empty":        {"100644 BLOB "},
		"twice":        {"100644 BLOB a", "40000 TREE a"},
		"not UTF-8":    {"100644 BLOB \xff\xfe"},
		"newline":      {"100644 BLOB a\nb.yaml"},
		"escape":       {"100644 BLOB a\x1b[2Jb.yaml"},
		"C1":           {"100644 BLOB a\u009bb.yaml"},
		"direction":    {"100644 BLOB a\u202eb.yaml"},
		"long":         {"100644 BLOB " + strings.Repeat("n", 1025)},
		"bad mode":     {"1x0644 BLOB a"},
		"missing blob": {"100644 " + strings.Repeat("12", 20) + " a"},
	} {
		t.Run(name, func(t *testing.T) {
			g := gittest.New(t)
			g.Commit("first", "folder/a.yaml", "1")
			blob, tree := g.Git("rev-parse", "HEAD:folder/a.yaml"), g.Git("rev-parse", "HEAD:folder")
			for i := range entries {
				entries[i] = strings.NewReplacer("BLOB", blob, "TREE", tree).Replace(entries[i])
			}
			r := newRepo(t, Config{URL: g.Dir})
			good, _ := mustFetch(t, r)
			commitTree(t, g, entries...)
			if err := fetchError(t, r); !NeedsPerson(err) {
				t.Errorf("%v does not need a person", err)
			}
			if last, _ := r.Last(); last.Commit != good.Commit || readFile(t, last, "folder/a.yaml") != "1" {
				t.Error("the last good revision does not serve")
			}
		})
	}
}

// TestHostileNameElsewhere checks that invalid names outside of the configured path have no effect.
func TestHostileNameElsewhere(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "folder/a.yaml", "1")
	tree := g.Git("rev-parse", "HEAD:folder")
	commitTree(t, g, "40000 "+tree+" .git", "40000 "+tree+" folder")
	rev, _ := mustFetch(t, newRepo(t, Config{URL: g.Dir, Path: "folder"}))
	if readFile(t, rev, "a.yaml") != "1" {
		t.Error("a.yaml is not there")
	}
}

// TestTreeBomb has a few trees that expand to billions of files.
func TestTreeBomb(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "folder/a.yaml", "1")
	for range 12 {
		tree := g.Git("rev-parse", "HEAD^{tree}")
		var entries []string
		for n := range 10 {
			entries = append(entries, fmt.Sprintf("40000 %s folder%d", tree, n))
		}
		commitTree(t, g, entries...)
	}
	wantError(t, fetchError(t, newRepo(t, Config{URL: g.Dir})), ErrContent, "more than 200000 files", "source.path")
}

func TestDeepTree(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", strings.Repeat("d/", store.MaxTreeDepth+5)+"a.yaml", "1")
	wantError(t, fetchError(t, newRepo(t, Config{URL: g.Dir})), ErrContent, "nested deeper")
}

func TestPlainFolder(t *testing.T) {
	outside := writeFile(t, "outside")
	dir := t.TempDir()
	for name, content := range map[string]string{"a.yaml": "1", "b.yaml": "2"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rev, err := Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(rev.Files, "a.yaml", "b.yaml"); err != nil {
		t.Error(err)
	}
	for name, target := range map[string]string{"inside": "a.yaml", "outside": outside, "above": "../" + filepath.Base(outside)} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if readFile(t, rev, "inside") != "1" {
		t.Error("a link within the folder is not followed")
	}
	for _, name := range []string{"outside", "above", "../" + filepath.Base(outside), outside} {
		if content, err := fs.ReadFile(rev.Files, name); err == nil {
			t.Errorf("%s leads out of the folder to %q", name, content)
		}
	}
	if _, err := Dir(dir + "-none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if _, err := Dir(outside); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "is a file") {
		t.Errorf("a file: %v", err)
	}
}
