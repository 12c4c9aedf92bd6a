package source

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/source/store"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func mustMerge(t testing.TB, r *Repo, head string) Merge {
	t.Helper()
	m, err := r.Merged(t.Context(), head)
	if err != nil {
		t.Fatalf("merging %s: %v", head, err)
	}
	return m
}

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

func edited(old, new string) string { return strings.Replace(ten, old+"\n", new+"\n", 1) }

// pullRequestOf makes two branches that changed different lines of a file.
func pullRequestOf(g *gittest.Repo) (base, head, shared string) {
	shared = g.Commit("first", "clouds/prod/a.yaml", ten, "README.md", "read")
	g.Git("switch", "-q", "-c", "feature")
	head = g.Commit("second\n\nbody", "clouds/prod/a.yaml", edited("2", "two"), "clouds/prod/new.yaml", "new")
	g.Git("update-ref", "refs/pull/7/head", head)
	g.Git("switch", "-q", "main")
	for n := range 20 { // more commits than the first fetch of history gets
		g.Commit("more", "README.md", fmt.Sprint(n))
	}
	base = g.Commit("last", "clouds/prod/a.yaml", edited("9", "nine"))
	return base, head, shared
}

func TestMerged(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		base, head, shared := pullRequestOf(g)
		cfg.Path = "clouds/prod"
		for name, allow := range map[string]string{"full": "false", "bare": "true"} {
			g.Git("config", "uploadpack.allowFilter", allow)
			g.Git("config", "uploadpack.allowReachableSHA1InWant", allow)
			r := newRepo(t, cfg)
			m := mustMerge(t, r, "refs/pull/7/head")
			want := strings.NewReplacer("2\n", "two\n", "9\n", "nine\n").Replace(ten)
			if readFile(t, m.Revision, "a.yaml") != want || readFile(t, m.Revision, "new.yaml") != "new" || len(m.Conflicts) > 0 {
				t.Errorf("%s: merged to %q", name, readFile(t, m.Revision, "a.yaml"))
			}
			if m.BaseCommit != base || m.Head != head || m.MergeBase != shared || m.Commit != head || m.Branch != "refs/pull/7/head" || m.Subject != "second" || m.Root != "clouds/prod" {
				t.Errorf("%s: merge is %+v", name, m)
			}
			if tree := strings.TrimSpace(g.Git("merge-tree", "--write-tree", base, head)); g.Git("rev-parse", tree+":clouds/prod") != m.Tree {
				t.Errorf("%s: the tree is %s, git's is another", name, m.Tree)
			}
			if info, err := fs.Stat(m.Files, "a.yaml"); err != nil || info.Size() != int64(len(want)) {
				t.Errorf("%s: a.yaml is %v, %v", name, info, err)
			}
			if rev, changed := mustFetch(t, r); !changed || rev.Commit != base || rev.Parent != g.Git("rev-parse", base+"^") || rev.Tree == m.Tree {
				t.Errorf("%s: afterwards the branch is %+v", name, rev)
			}
		}
	})
}

// TestMergedCostsNothingTwice counts the requests to the server. A second merge of the same commits needs no pack.
func TestMergedCostsNothingTwice(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	g := gittest.New(t)
	_, head, _ := pullRequestOf(g)
	g.Git("config", "uploadpack.allowFilter", "true")
	w := serveHTTP(t, g)
	r := newRepo(t, Config{URL: w.url(), Branch: "main"})
	mustMerge(t, r, "pull/7/head")
	first := w.packs.Load()
	for _, name := range []string{"pull/7/head", head, "feature"} {
		before := w.requests.Load()
		m := mustMerge(t, r, name)
		if w.packs.Load() != first || w.requests.Load() != before+1 || m.Branch != name {
			t.Errorf("%s: %d packs and %d requests more", name, w.packs.Load()-first, w.requests.Load()-before)
		}
	}
	g.Commit("next", "clouds/prod/a.yaml", edited("9", "NINE"))
	if m := mustMerge(t, r, head); !strings.Contains(readFile(t, m.Revision, "clouds/prod/a.yaml"), "NINE") {
		t.Error("the branch moved and the merge did not")
	}
	if n := w.packs.Load() - first; n > 3 {
		t.Errorf("%d packs for a branch that moved by one commit", n)
	}
}

// under makes branches from one commit: a and b change different lines, c changes the line of a, and d builds on a.
func under(t *testing.T) (*gittest.Repo, map[string]string) {
	t.Helper()
	g := gittest.New(t)
	g.Commit("first", "prod/a.yaml", ten, "other/b.yaml", ten)
	tips := map[string]string{}
	branch := func(name, from string, files ...string) {
		g.Git("switch", "-q", "-c", name, from)
		tips[name] = g.Commit(name, files...)
	}
	branch("a", "main", "prod/a.yaml", edited("2", "two"), "other/b.yaml", edited("5", "five"))
	branch("d", "a", "prod/d.yaml", "d")
	branch("b", "main", "prod/a.yaml", edited("9", "nine"), "other/b.yaml", edited("5", "FIVE"))
	branch("c", "main", "prod/a.yaml", edited("2", "TWO"))
	branch("docs", "main", "README.md", "read")
	g.Git("switch", "-q", "main")
	return g, tips
}

// Merged merges the other heads before the last one. Files outside of the folder may conflict.
func TestMergedUnderOthers(t *testing.T) {
	g, tips := under(t)
	r := newRepo(t, Config{URL: g.Dir, Path: "prod"})
	for _, c := range []struct {
		head      string
		under     []string
		want      string
		conflicts int
		clean     int // how many are merged before one conflicts
	}{
		{"b", []string{"a"}, strings.Replace(edited("2", "two"), "9\n", "nine\n", 1), 0, 2},
		{"d", []string{"b"}, strings.Replace(edited("2", "two"), "9\n", "nine\n", 1), 0, 2},
		{"d", []string{"a", "a"}, edited("2", "two"), 0, 3},
		{"c", []string{"b", "a"}, "", 1, 2},
		{"b", []string{"a", "c"}, "", 1, 1},
		{"docs", []string{"a"}, edited("2", "two"), 0, 2}, // the plan is not quiet: it includes what a changes
		{"docs", []string{"docs"}, edited("", ""), 0, 2},
	} {
		m, err := r.Merged(t.Context(), c.head, c.under...)
		if err != nil || len(m.Conflicts) != c.conflicts || m.Clean != c.clean {
			t.Errorf("%s after %s: %+v, %v", c.head, c.under, m, err)
			continue
		}
		if len(m.Under) != len(c.under) || m.Under[0] != tips[c.under[0]] || m.Head != tips[c.head] || m.Commit != tips[c.head] {
			t.Errorf("%s after %s: %s after %s", c.head, c.under, m.Head, m.Under)
		}
		if c.conflicts == 0 && readFile(t, m.Revision, "a.yaml") != c.want {
			t.Errorf("%s after %s: a.yaml is %q", c.head, c.under, readFile(t, m.Revision, "a.yaml"))
		}
		if quiet := m.Tree == m.BaseTree && m.Tree != ""; quiet != (c.under[0] == "docs") {
			t.Errorf("%s after %s: it changes nothing: %v", c.head, c.under, quiet)
		}
	}
	if _, err := r.Merged(t.Context(), "a", "gone"); err == nil {
		t.Error("a merge under a branch that there is not")
	}
}

func TestMergedTouchesNothing(t *testing.T) {
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		g.Commit("first", "prod/a.yaml", "1", "README.md", "read")
		g.Git("switch", "-q", "-c", "feature")
		g.Commit("docs", "README.md", "other")
		g.Git("switch", "-q", "main")
		g.Commit("second", "prod/a.yaml", "2")
		cfg.Path = "prod"
		r := newRepo(t, cfg)
		rev, _ := mustFetch(t, r)
		if m := mustMerge(t, r, "feature"); m.Tree != rev.Tree || m.BaseTree != rev.Tree || m.Tree == "" || readFile(t, m.Revision, "a.yaml") != "2" {
			t.Errorf("the tree is %s, the branch's %s", m.Tree, rev.Tree)
		}
		if m := mustMerge(t, r, "main"); m.Tree != rev.Tree || m.MergeBase != rev.Commit {
			t.Errorf("the branch merged into itself is %+v", m)
		}
	})
}

func TestMergeConflicts(t *testing.T) {
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		g.Commit("first", "prod/a.yaml", ten, "prod/gone.yaml", ten, "prod/kept.yaml", "1", "prod/thing", "x", "other/b.yaml", ten)
		g.Git("switch", "-q", "-c", "feature")
		g.Git("rm", "-q", "prod/gone.yaml", "prod/thing")
		g.Commit("theirs", "prod/a.yaml", edited("5", "five"), "prod/both.yaml", "theirs", "prod/thing/below.yaml", "y", "other/b.yaml", edited("5", "five"))
		g.Git("switch", "-q", "main")
		g.Commit("ours", "prod/a.yaml", edited("5", "FIVE"), "prod/gone.yaml", edited("5", "five"), "prod/both.yaml", "ours", "prod/thing", "z", "other/b.yaml", "none")
		cfg.Path = "prod"
		m := mustMerge(t, newRepo(t, cfg), "feature")
		if want := []string{"prod/a.yaml", "prod/both.yaml", "prod/gone.yaml", "prod/thing"}; !slices.Equal(m.Conflicts, want) {
			t.Errorf("conflicts %q, want %q", m.Conflicts, want)
		}
		if m.Files != nil || m.Tree != "" || m.Commit != m.Head || m.Subject != "theirs" {
			t.Errorf("with conflicts the merge is %+v", m)
		}
	})
}

func TestMergeOfFolders(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "README.md", "read", "old/a.yaml", "1")
	g.Git("switch", "-q", "-c", "feature")
	g.Commit("new", "prod/a.yaml", "1")
	g.Git("switch", "-q", "-c", "removing", "main")
	g.Git("rm", "-q", "-r", "old")
	g.Commit("gone")
	g.Git("switch", "-q", "-c", "emptying")
	g.Git("rm", "-q", "-r", "README.md")
	g.Commit("all gone")
	g.Git("switch", "-q", "main")
	g.Commit("second", "README.md", "read it")
	if m := mustMerge(t, newRepo(t, Config{URL: g.Dir, Path: "prod"}), "feature"); readFile(t, m.Revision, "a.yaml") != "1" {
		t.Errorf("the folder that the branch does not have yet is %+v", m)
	}
	_, err := newRepo(t, Config{URL: g.Dir, Path: "old"}).Merged(t.Context(), "removing")
	wantError(t, err, ErrNotFound, `after the merge there is no folder "old"`)
	if m := mustMerge(t, newRepo(t, Config{URL: g.Dir}), "emptying"); !slices.Equal(m.Conflicts, []string{"README.md"}) {
		t.Errorf("%+v", m)
	}
	g.Git("revert", "--no-edit", "HEAD")
	m := mustMerge(t, newRepo(t, Config{URL: g.Dir}), "emptying")
	if list, err := fs.ReadDir(m.Files, "."); err != nil || len(list) > 0 {
		t.Errorf("an emptied root holds %v, %v", list, err)
	}
}

func TestMergeErrors(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		g.Commit("first", "a.yaml", "1")
		g.Git("switch", "-q", "--orphan", "stranger")
		g.Commit("another beginning", "a.yaml", "2")
		g.Git("switch", "-q", "main")
		r := newRepo(t, cfg)
		_, err := r.Merged(t.Context(), "stranger")
		wantError(t, err, ErrContent, "share no history")
		_, err = r.Merged(t.Context(), "refs/pull/8/head")
		wantError(t, err, ErrNotFound, "refs/pull/8/head")
		_, err = r.Merged(t.Context(), strings.Repeat("12", 20))
		if !NeedsPerson(err) {
			t.Errorf("a commit that nobody has: %v", err)
		}
		mustFetch(t, r)
	})
}

func TestMergeOfShallowRepository(t *testing.T) {
	g := gittest.New(t)
	pullRequestOf(g)
	shallow := g.Dir + "-shallow"
	g.Git("clone", "-q", "--depth=3", "--no-single-branch", "file://"+g.Dir, shallow)
	g.Git("-C", shallow, "branch", "feature", "origin/feature")
	for _, url := range []string{shallow, "file://" + shallow} {
		_, err := newRepo(t, Config{URL: url, Branch: "main"}).Merged(t.Context(), "feature")
		wantError(t, err, ErrContent, "git fetch --unshallow")
	}
}

// TestMovedFileTakesTheChange merges a moved file over every transport.
func TestMovedFileTakesTheChange(t *testing.T) {
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		g.Commit("first", "old.yaml", ten)
		g.Git("switch", "-q", "-c", "feature")
		g.Git("mv", "old.yaml", "new.yaml")
		g.Git("update-ref", "refs/pull/7/head", g.Commit("renamed"))
		g.Git("switch", "-q", "main")
		g.Commit("changed", "old.yaml", edited("5", "five"))
		m := mustMerge(t, newRepo(t, cfg), "refs/pull/7/head")
		if got := readFile(t, m.Revision, "new.yaml"); got != edited("5", "five") {
			t.Errorf("merged to %q", got)
		}
		if _, err := fs.Stat(m.Files, "old.yaml"); err == nil {
			t.Error("the file is still where it was")
		}
	})
}

// TestAttackForgedMerge has a forged merge in the reference to which forges write theirs. The merge has the right
// parents and wrong files. Anybody who may push to a plain server can write it.
func TestAttackForgedMerge(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		base, head, _ := pullRequestOf(g)
		tree := g.Git("mktree")
		for _, kind := range []string{"pull", "merge-requests"} {
			g.Git("update-ref", "refs/"+kind+"/7/head", head)
			g.Git("update-ref", "refs/"+kind+"/7/merge", g.Git("commit-tree", "-p", base, "-p", head, "-m", "forged", tree))
			m := mustMerge(t, newRepo(t, cfg), "refs/"+kind+"/7/head")
			want := strings.NewReplacer("2\n", "two\n", "9\n", "nine\n").Replace(ten)
			if got := readFile(t, m.Revision, "clouds/prod/a.yaml"); got != want {
				t.Errorf("%s: merged to %q", kind, got)
			}
		}
	})
}

// TestMergesOutliveTheStore reads the files of a merge after the store was replaced.
func TestMergesOutliveTheStore(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	g := gittest.New(t)
	_, head, _ := pullRequestOf(g)
	r := newRepo(t, Config{URL: g.Dir, Branch: "main", Dir: t.TempDir()})
	m := mustMerge(t, r, head)
	for n := range 2 * store.MaxPacks {
		head = g.Git("commit-tree", "-p", head, "-m", fmt.Sprint(n), g.Git("rev-parse", head+"^{tree}"))
		mustMerge(t, r, head)
	}
	if len(r.cache.Store().PackSizes()) > store.MaxPacks+4 {
		t.Errorf("the store has %d packs", len(r.cache.Store().PackSizes()))
	}
	if readFile(t, m.Revision, "clouds/prod/new.yaml") != "new" || !strings.Contains(readFile(t, m.Revision, "clouds/prod/a.yaml"), "nine") {
		t.Error("the first merge cannot be read any more")
	}
}

// randomHistory draws a random repository with two branches, "left" and "right". They may have been
// merged into each other. It returns the history for fast-import.
func randomHistory(t *rapid.T) string {
	var out strings.Builder
	commit := func(branch string, n int, parents ...int) {
		fmt.Fprintf(&out, "commit refs/heads/%s\nmark :%d\ncommitter a <a@b> %d +0000\ndata 0\n", branch, n, n)
		for i, p := range parents {
			fmt.Fprintf(&out, "%s :%d\n", []string{"from", "merge"}[min(i, 1)], p)
		}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			change(t, &out)
		}
		out.WriteString("\n")
	}
	out.WriteString("reset refs/heads/left\nreset refs/heads/right\n")
	commit("left", 1)
	left, right := []int{1}, []int{1}
	n := 1
	add := func(name string, line *[]int, merged ...int) {
		n++
		commit(name, n, append([]int{(*line)[len(*line)-1]}, merged...)...)
		*line = append(*line, n)
	}
	for range rapid.IntRange(0, 5).Draw(t, "steps") {
		switch rapid.IntRange(0, 5).Draw(t, "step") {
		case 0, 1:
			add("left", &left)
		case 2, 3:
			add("right", &right)
		case 4:
			add("left", &left, rapid.SampledFrom(right).Draw(t, "merged"))
		case 5: // merge each branch into the other one
			l, r := left[len(left)-1], right[len(right)-1]
			add("left", &left, r)
			add("right", &right, l)
		}
	}
	fmt.Fprintf(&out, "reset refs/heads/left\nfrom :%d\nreset refs/heads/right\nfrom :%d\n", left[len(left)-1], right[len(right)-1])
	return out.String()
}

// change draws a change of one file. No two files are similar, so git never finds a renamed file.
func change(t *rapid.T, out *strings.Builder) {
	name := rapid.SampledFrom([]string{"a", "b", "d/a", "d/b", "d/e/a", "a/x", "d"}).Draw(t, "name")
	switch rapid.IntRange(0, 7).Draw(t, "what") {
	case 0:
		fmt.Fprintf(out, "D %s\n", name)
	case 1:
		target := name + "/" + rapid.SampledFrom([]string{"a", "b"}).Draw(t, "target")
		fmt.Fprintf(out, "M 120000 inline %s\ndata %d\n%s\n", name, len(target), target)
	default:
		mode := rapid.SampledFrom([]string{"100644", "100644", "100755"}).Draw(t, "mode")
		var text strings.Builder
		for i := range rapid.SampledFrom([]int{0, 1, 7}).Draw(t, "lines") {
			text.WriteString(rapid.SampledFrom([]string{fmt.Sprint(i), fmt.Sprint(i), "x", "y"}).Draw(t, "line") + " of " + name + "\n")
		}
		fmt.Fprintf(out, "M %s inline %s\ndata %d\n%s\n", mode, name, text.Len(), text.String())
	}
}

// treeContents lists the files of a tree with their contents, without their modes.
func treeContents(g *gittest.Repo, tree string) string {
	var lines []string
	for line := range strings.Lines(g.Git("ls-tree", "-r", tree)) {
		fields := strings.Fields(line)
		if fields[0] == "120000" {
			fields[2] = plumbing.ComputeHash(plumbing.BlobObject, []byte("a link")).String()
		}
		lines = append(lines, fields[3]+" "+fields[2])
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// contents lists a revision's files in the same form as treeContents.
func contents(t *rapid.T, files fs.FS) string {
	var lines []string
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text := []byte("a link")
		if e.Type() == 0 {
			if text, err = fs.ReadFile(files, name); err != nil {
				return err
			}
		}
		lines = append(lines, name+" "+plumbing.ComputeHash(plumbing.BlobObject, text).String())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestMergedLikeGit compares with real git on random histories.
func TestMergedLikeGit(t *testing.T) {
	testcost.Long(t) // git makes and merges many random histories
	g := gittest.New(t)
	g.NeedMergeTree()
	clean, crossed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		script := randomHistory(t)
		g.FastImport(script)
		tree, conflict := g.Command("merge-tree", "--write-tree", "left", "right").Output()
		if strings.Contains(string(tree), "renamed") {
			return // git has found a renamed file in the merge of merge bases
		}
		r, err := New(Config{URL: g.Dir, Branch: "left"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		m, err := r.Merged(t.Context(), "right")
		if err != nil {
			t.Fatalf("%v\n%s", err, script)
		}
		crossing := len(strings.Fields(g.Git("merge-base", "--all", "left", "right"))) > 1
		switch {
		case conflict == nil && crossing:
			crossed++
		case conflict == nil:
			clean++
		}
		if crossing && conflict == nil && len(m.Conflicts) > 0 {
			return // git has no conflict here; our conflict only means work for a person, and no wrong plan
		}
		if crossing && conflict == nil && treeContents(g, strings.TrimSpace(string(tree))) == contents(t, m.Files) {
			return // if both sides conflict about the executable bit, only git chooses one
		}
		if (conflict == nil) != (len(m.Conflicts) == 0) || conflict == nil && strings.TrimSpace(string(tree)) != m.Tree {
			t.Fatalf("git: %v %s\nours: %v %s\n%s", conflict, tree, m.Conflicts, m.Tree, script)
		}
	})
	if clean == 0 {
		t.Error("not a single history merged cleanly")
	}
	t.Logf("%d clean merges, %d of crossed histories", clean, crossed)
}
