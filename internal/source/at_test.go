package source

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func TestAt(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		first := g.Commit("first", "a.yaml", "1")
		g.Git("tag", "light")
		g.Git("tag", "-a", "-m", "annotated", "v1.0")
		g.Git("tag", "-a", "-m", "of a tag", "v1.0-again", "v1.0")
		g.Git("tag", "-a", "-m", "of a blob", "blob", "HEAD:a.yaml")
		second := g.Commit("second", "a.yaml", "2")
		g.Git("switch", "-q", "-c", "feature/x")
		third := g.Commit("third", "a.yaml", "3")
		g.Git("switch", "-q", "main")
		g.Git("update-ref", "refs/pull/7/head", third)
		r := newRepo(t, cfg)
		last, _ := mustFetch(t, r)
		for ref, want := range map[string]string{
			"main": second, "feature/x": third, "light": first, "v1.0": first, "v1.0-again": first, "HEAD": second,
			"refs/heads/main": second, "refs/tags/v1.0": first, "refs/pull/7/head": third, "pull/7/head": third,
			first: first, strings.ToUpper(third): third, second: second,
		} {
			rev, err := r.At(t.Context(), ref)
			if err != nil {
				t.Errorf("At(%q): %v", ref, err)
				continue
			}
			content := map[string]string{first: "1", second: "2", third: "3"}[want]
			if rev.Commit != want || rev.Branch != ref || readFile(t, rev, "a.yaml") != content {
				t.Errorf("At(%q) = %+v, want %s", ref, rev, want)
			}
		}
		for ref, word := range map[string]string{
			"mian": `"main"`, "v1.1": `"v1.0"`, "refs/pull/8/head": `"refs/pull/8/head"`, first[:10]: "all its 40 digits",
			"blob": "a blob", "a..b": strconv.Quote("a..b"), "-x": strconv.Quote("-x"), "a b": strconv.Quote("a b"), "": strconv.Quote(""),
			"@{-1}": strconv.Quote("@{-1}"), "main~1": strconv.Quote("main~1"), "refs/heads/../x": strconv.Quote("refs/heads/../x"), "x\x00y": strconv.Quote("x\x00y"), "a.lock": strconv.Quote("a.lock"),
		} {
			_, err := r.At(t.Context(), ref)
			wantError(t, err, ErrNotFound, word)
		}
		_, err := r.At(t.Context(), strings.Repeat("12", 20))
		if !NeedsPerson(err) {
			t.Errorf("a commit that nobody has: %v", err)
		}
		if now, _ := r.Last(); now.Commit != last.Commit {
			t.Error("At changed the last revision")
		}
		if _, changed := mustFetch(t, r); changed {
			t.Error("At made the branch look changed")
		}
	})
}

func TestCommitThatIsNotHandedOut(t *testing.T) {
	g := gittest.New(t)
	first := g.Commit("first", "a.yaml", "1")
	g.Commit("second", "a.yaml", "2")
	g.Git("config", "uploadpack.allowReachableSHA1InWant", "false")
	_, err := newRepo(t, serveSSH(t, g).config()).At(t.Context(), first)
	wantError(t, err, ErrNotFound, first, "refs/pull/N/head")
}

func TestDefaultBranch(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		g.Commit("first", "a.yaml", "1")
		g.Git("switch", "-q", "-c", "trunk")
		want := g.Commit("second", "a.yaml", "2")
		cfg.Branch = ""
		if rev, _ := mustFetch(t, newRepo(t, cfg)); rev.Branch != "trunk" || rev.Commit != want {
			t.Errorf("revision %+v", rev)
		}
	})
}

func TestManyReferences(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	g := gittest.New(t)
	want := g.Commit("first", "a.yaml", "1")
	var refs strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&refs, "%s refs/heads/branch-%05d\n", want, n)
	}
	g.Write(".git/packed-refs", refs.String())
	for _, cfg := range []Config{{URL: g.Dir}, {URL: serveHTTP(t, g).url()}, serveSSH(t, g).config()} {
		cfg.Branch = "branch-19999"
		if rev, _ := mustFetch(t, newRepo(t, cfg)); rev.Commit != want {
			t.Errorf("revision %+v", rev)
		}
		cfg.Branch = "branch-0000"
		wantError(t, fetchError(t, newRepo(t, cfg)), ErrNotFound, `"branch-00000"`, "more)")
	}
}

// TestLocalShapes reads local repositories of all kinds.
func TestLocalShapes(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	want := g.Commit("second", "b.yaml", "2")
	parent := g.Dir + "-"
	g.Git("clone", "-q", "--bare", ".", parent+"bare")
	g.Git("clone", "-q", "--bare", "--shared", ".", parent+"alternates")
	g.Git("clone", "-q", "--depth=1", "file://"+g.Dir, parent+"shallow")
	g.Git("worktree", "add", "-q", "-b", "other", parent+"worktree")
	g.Git("clone", "-q", "--separate-git-dir", parent+"separate.git", ".", parent+"separate")
	g.Git("clone", "-q", ".", parent+"packed")
	g.Git("-C", parent+"packed", "gc", "-q", "--aggressive")
	g.Git("-C", parent+"packed", "pack-refs", "--all")
	for _, shape := range []string{"bare", "alternates", "shallow", "worktree", "separate", "packed"} {
		t.Run(shape, func(t *testing.T) {
			rev, _ := mustFetch(t, newRepo(t, Config{URL: parent + shape, Branch: "main"}))
			if rev.Commit != want || readFile(t, rev, "a.yaml")+readFile(t, rev, "b.yaml") != "12" {
				t.Errorf("revision %+v", rev)
			}
		})
	}
}

func TestUncommittedIsNotSeen(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	g.Write("a.yaml", "changed")
	g.Write("b.yaml", "new")
	g.Git("add", "b.yaml")
	rev, _ := mustFetch(t, newRepo(t, Config{URL: g.Dir}))
	if readFile(t, rev, "a.yaml") != "1" {
		t.Error("a change that is not committed is seen")
	}
	if _, err := rev.Files.Open("b.yaml"); err == nil {
		t.Error("a file that is not committed is seen")
	}
	if status := g.Git("status", "--porcelain"); status != "A  b.yaml\n M a.yaml" && status != "M a.yaml\nA  b.yaml" {
		t.Errorf("the work tree was touched: %q", status)
	}
}
