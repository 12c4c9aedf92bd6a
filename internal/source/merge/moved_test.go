package merge

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// sidesOf makes two branches, feature and main, from a commit with the files first. Each branch
// gets the changes of its function.
func sidesOf(t *testing.T, first []string, feature, main func(g *gittest.Repo)) *gittest.Repo {
	t.Helper()
	g := gittest.New(t)
	g.Commit("first", first...)
	g.Git("switch", "-q", "-c", "feature")
	feature(g)
	g.Commit("theirs")
	g.Git("switch", "-q", "main")
	main(g)
	g.Commit("ours")
	return g
}

func move(from, to string) func(*gittest.Repo) {
	return func(g *gittest.Repo) {
		if strings.Contains(to, "/") {
			g.Write(to, "")
		}
		g.Git("mv", "-f", from, to)
	}
}

func write(files ...string) func(*gittest.Repo) {
	return func(g *gittest.Repo) {
		for i := 0; i < len(files); i += 2 {
			g.Write(files[i], files[i+1])
		}
	}
}

func remove(name string) func(*gittest.Repo) {
	return func(g *gittest.Repo) { g.Git("rm", "-q", "-r", name) }
}

func all(steps ...func(*gittest.Repo)) func(*gittest.Repo) {
	return func(g *gittest.Repo) {
		for _, do := range steps {
			do(g)
		}
	}
}

// pathsIn returns each conflict without the words of its reason: the path of the file, and the other paths that the reason names.
func pathsIn(conflicts []string) (list []string) {
	named := regexp.MustCompile(`\S*[./][a-z]\S*`)
	for _, conflict := range conflicts {
		file, reason, _ := strings.Cut(conflict, " (")
		list = append(list, strings.Join(append([]string{file}, named.FindAllString(reason, -1)...), " "))
	}
	return list
}

// TestMovedFiles has simple moves. The result is git's, or a conflict with a reason.
func TestMovedFiles(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	staging := []string{"staging/a.yaml", ten, "staging/b.yaml", strings.ReplaceAll(ten, "\n", " of b\n"), "README.md", "read"}
	edit := write("staging/a.yaml", edited("5", "five"))
	for name, c := range map[string]struct {
		feature, main func(*gittest.Repo)
		path          string
		want          string // text of prod/a.yaml if it is merged
		conflict      string // the paths in the conflicts
	}{
		"moved and changed":            {move("staging/a.yaml", "prod/a.yaml"), edit, "", edited("5", "five"), ""},
		"changed and moved":            {edit, move("staging/a.yaml", "prod/a.yaml"), "", edited("5", "five"), ""},
		"out of the configured folder": {move("staging/a.yaml", "prod/a.yaml"), edit, "staging", "", ""},
		"into the configured folder":   {move("staging/a.yaml", "prod/a.yaml"), edit, "prod", edited("5", "five"), ""},
		"moved with changes":           {all(move("staging/a.yaml", "prod/a.yaml"), write("prod/a.yaml", edited("9", "nine"))), edit, "", strings.Replace(edited("5", "five"), "9\n", "nine\n", 1), ""},
		"moved with the same line":     {all(move("staging/a.yaml", "prod/a.yaml"), write("prod/a.yaml", edited("5", "V"))), edit, "", "", "prod/a.yaml"},
		"moved by both":                {move("staging/a.yaml", "prod/a.yaml"), all(move("staging/a.yaml", "prod/a.yaml"), write("prod/a.yaml", edited("5", "five"))), "", edited("5", "five"), ""},
		"moved and deleted":            {move("staging/a.yaml", "prod/a.yaml"), remove("staging/a.yaml"), "", "", "staging/a.yaml prod/a.yaml"},
		"deleted and moved":            {remove("staging/a.yaml"), move("staging/a.yaml", "prod/a.yaml"), "prod", "", "staging/a.yaml prod/a.yaml"},
		"moved to two places":          {move("staging/a.yaml", "prod/a.yaml"), move("staging/a.yaml", "other/a.yaml"), "prod", "", "staging/a.yaml other/a.yaml prod/a.yaml"},
		"where something is":           {move("staging/a.yaml", "prod/a.yaml"), all(edit, write("prod/a.yaml", "x")), "", "", "prod/a.yaml; staging/a.yaml prod/a.yaml"},
		"where a folder is":            {move("staging/a.yaml", "prod/a.yaml"), all(edit, write("prod/a.yaml/b", "x")), "prod", "", "prod/a.yaml; staging/a.yaml prod/a.yaml"},
		"below a file":                 {move("staging/a.yaml", "prod/a.yaml"), all(edit, write("prod", "x")), "", "", "prod; staging/a.yaml prod/a.yaml"},
		"copied in the move":           {all(move("staging/a.yaml", "prod/a.yaml"), write("prod/copy.yaml", ten)), edit, "prod", "", "staging/a.yaml prod/a.yaml"},
		"a folder moved, a file added": {move("staging", "prod"), write("staging/new.yaml", "new"), "prod", "", "staging/new.yaml"},
		"a folder deleted, one added":  {remove("staging"), write("staging/new.yaml", "new", "prod/a.yaml", "x"), "", "x", ""},
		"elsewhere":                    {move("staging/a.yaml", "other/a.yaml"), all(remove("staging/a.yaml"), write("prod/a.yaml", "x")), "prod", "x", ""},
		"a link on the other side": {move("staging/a.yaml", "prod/a.yaml"), all(remove("staging/a.yaml"), func(g *gittest.Repo) {
			g.Git("update-index", "--add", "--cacheinfo", "120000,"+g.Git("hash-object", "-w", "README.md")+",staging/a.yaml")
			g.Git("checkout", "staging/a.yaml")
		}), "", "", "staging/a.yaml prod/a.yaml"},
	} {
		g := sidesOf(t, staging, c.feature, c.main)
		m, err := mergeBranches(t.Context(), g, "main", "feature", c.path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(pathsIn(m.Conflicts), "; "); got != c.conflict {
			t.Errorf("%s: conflicts %q, want %q", name, got, c.conflict)
		}
		if c.conflict != "" || len(m.Conflicts) > 0 {
			if _, err := g.FirstLine("merge-tree", "--write-tree", "main", "feature"); err == nil && name != "copied in the move" {
				t.Errorf("%s: git sees no conflict", name)
			}
			continue
		}
		tree, err := g.FirstLine("merge-tree", "--write-tree", "main", "feature")
		if c.path != "" {
			tree += ":" + c.path
		}
		if want := g.Git("rev-parse", strings.TrimSpace(tree)); err != nil && c.path == "" || want != m.Folder.String() {
			t.Errorf("%s: the tree is %s, git's %s, %v", name, m.Folder, want, err)
		}
		if c.want != "" {
			if got := m.read(t, strings.TrimPrefix(strings.TrimPrefix("prod/a.yaml", c.path), "/")); got != c.want {
				t.Errorf("%s: merged to %q", name, got)
			}
		}
	}
}

// TestRulesOfMerging has a file that both sides changed in different places, with several
// .gitattributes.
func TestRulesOfMerging(t *testing.T) {
	for rules, special := range map[string]bool{
		"":                              false,
		"*.yaml -merge":                 true,
		"*.yaml merge=union":            true,
		"*.yaml merge=ours":             true,
		"*.yaml binary":                 true,
		"*.yaml merge":                  false,
		"*.yaml merge=text":             false,
		"*.yaml text eol=lf -diff":      false,
		"*.md -merge":                   false,
		"prod/*.yaml -merge":            true,
		"staging/*.yaml -merge":         false,
		"/a.yaml -merge":                false,
		"[attr]mine -merge\na.* mine":   true,
		"[attr]mine -merge\n*.md mine":  false,
		"# *.yaml -merge":               false,
		"[Aa].yaml -merge":              true, // only git can evaluate the pattern
		`"a.yaml" -merge`:               true,
		"**/x -merge":                   true,
		"* -text\n*.yaml -text !merge":  false,
		"\ufeff*.yaml merge=union\r\n":  true,
		"?.yaml -merge\n*.yaml merge":   true, // git uses the last rule that matches, but not on every path
		strings.Repeat("x -merge\n", 9): false,
	} {
		first := []string{"prod/a.yaml", ten, ".gitattributes", rules}
		g := sidesOf(t, first, write("prod/a.yaml", edited("2", "two")), write("prod/a.yaml", edited("9", "nine")))
		m := mustMerge(t, g, "main", "feature", "prod")
		if (len(m.Conflicts) > 0) != special {
			t.Errorf("%q: conflicts %q", rules, m.Conflicts)
		}
	}
	// The rule applies on either side, and in every folder above.
	only := write("prod/.gitattributes", "*.yaml -merge")
	g := sidesOf(t, []string{"prod/a.yaml", ten}, all(only, write("prod/a.yaml", edited("2", "two"))), write("prod/a.yaml", edited("9", "nine")))
	m := mustMerge(t, g, "main", "feature", "")
	if want := []string{"prod/a.yaml .gitattributes"}; !slices.Equal(pathsIn(m.Conflicts), want) {
		t.Errorf("conflicts %q, want %q", m.Conflicts, want)
	}
}

// TestAttackManyMoves moves 5,000 files of one folder while the other side changes each of them. A
// move is found if the file itself was not changed. If there are too many differences to compare, no move is
// found.
func TestAttackManyMoves(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	if testing.Short() {
		t.Skip("-short leaves out the repository of 5,000 files")
	}
	g := gittest.New(t)
	const n = 5_000
	var script strings.Builder
	side := func(branch string, mark int, folder, word string) {
		fmt.Fprintf(&script, "commit refs/heads/%s\nmark :%d\ncommitter a <a@b> %d +0000\ndata 0\n", branch, mark, mark)
		if mark > 1 {
			script.WriteString("from :1\n")
		}
		script.WriteString("deleteall\n")
		for i := range n {
			text := fmt.Sprintf("line of %d\nsame\nsame too\n%s\n", i, word)
			fmt.Fprintf(&script, "M 644 inline %s/%d.yaml\ndata %d\n%s\n", folder, i, len(text), text)
		}
	}
	side("main", 1, "old", "first")
	side("feature", 2, "new", "theirs")
	side("plain", 4, "new", "first")
	side("main", 3, "old", "ours")
	g.FastImport(script.String())
	if m := mustMerge(t, g, "main", "feature", ""); len(m.Conflicts) != maxConflicts {
		t.Errorf("%d conflicts", len(m.Conflicts))
	}
	m := mustMerge(t, g, "main", "plain", "")
	if list, err := fs.ReadDir(m.files, "new"); err != nil || len(list) != n || !strings.Contains(m.read(t, "new/7.yaml"), "ours") {
		t.Errorf("%d files, %v, conflicts %q", len(list), err, m.Conflicts)
	}
}
