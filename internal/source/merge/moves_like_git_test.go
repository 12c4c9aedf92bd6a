package merge

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// files is a tree: the text of each file, by its path. A text with the prefix "+x" is an executable
// file, and one with "->" is a link.
type files map[string]string

var (
	someFolders = []string{"", "staging/", "prod/", "prod/sub/", "old/", "old/deep/"}
	someNames   = []string{"a.yaml", "b.yaml", "c.yaml"}
	someRules   = []string{
		"*.yaml -merge", "*.yaml merge=union", "a.yaml merge=binary", "*.yaml binary", "prod/* merge=ours", "*.yaml merge=text",
		"*.yaml text eol=lf", "* -text", "[attr]mine -merge\n*.yaml mine", "/staging/a.yaml -merge", "*.md -merge", "b.* !merge",
	}
)

func drawName(t *rapid.T) string {
	return rapid.SampledFrom(someFolders).Draw(t, "folder") + rapid.SampledFrom(someNames).Draw(t, "file")
}

// drawText draws a text of a family. Texts of the same family are similar.
func drawText(t *rapid.T, family string) string {
	var text strings.Builder
	for i := range rapid.SampledFrom([]int{0, 1, 3, 8, 12, 12, 12}).Draw(t, "lines") {
		fmt.Fprintf(&text, "%s: line %d\n", family, i)
	}
	return text.String()
}

func (f files) draw(t *rapid.T) (string, bool) {
	names := slices.Sorted(maps.Keys(f))
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, attributesName) })
	if len(names) == 0 {
		return "", false
	}
	return rapid.SampledFrom(names).Draw(t, "of"), true
}

// edit changes some lines of a file.
func (f files) edit(t *rapid.T, name, side string) {
	lines := strings.SplitAfter(f[name], "\n")
	for range rapid.SampledFrom([]int{1, 1, 1, 2, 5, 7}).Draw(t, "edits") {
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		lines[i] = side + rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "word") + "\n"
	}
	f[name] = strings.Join(lines, "")
}

// put writes a file to a path, and removes the files that cannot exist at the same time.
func (f files) put(name, text string) {
	for other := range f {
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			delete(f, other)
		}
	}
	f[name] = text
}

// change draws one change of a commit, and applies it to a tree.
func (f files) change(t *rapid.T, side string) {
	from, ok := f.draw(t)
	what := rapid.IntRange(0, 15).Draw(t, "what")
	if !ok {
		what = 12
	}
	text := f[from]
	switch what {
	case 0, 1, 2, 3:
		f.edit(t, from, side)
	case 4, 5, 6: // move
		delete(f, from)
		f.put(drawName(t), text)
	case 7, 8: // move and edit
		delete(f, from)
		to := drawName(t)
		f.put(to, text)
		f.edit(t, to, side)
	case 9, 10: // move a folder
		old, now := rapid.SampledFrom(someFolders[1:]).Draw(t, "old"), rapid.SampledFrom(someFolders).Draw(t, "new")
		for name, text := range maps.Clone(f) {
			if rest, in := strings.CutPrefix(name, old); in && old != now {
				delete(f, name)
				f.put(now+rest, text)
			}
		}
	case 11:
		delete(f, from)
	case 12, 13:
		f.put(drawName(t), drawText(t, rapid.SampledFrom([]string{"0", "1", side}).Draw(t, "family")))
	case 14:
		f[from] = rapid.SampledFrom([]string{"+x" + text, "->" + text, strings.TrimSuffix(text, "\n"), strings.ReplaceAll(text, "\n", "\r\n"), "bin\x00" + text}).Draw(t, "odd")
	case 15:
		f.put(rapid.SampledFrom([]string{"", "prod/"}).Draw(t, "where")+attributesName, rapid.SampledFrom(someRules).Draw(t, "rule")+"\n")
	}
}

// script writes a tree as a commit, for fast-import.
func (f files) script(out *strings.Builder, branch string, mark int, parents string) {
	fmt.Fprintf(out, "commit refs/heads/%s\nmark :%d\ncommitter a <a@b> %d +0000\ndata 0\n%sdeleteall\n", branch, mark, mark, parents)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		mode, text := "100644", f[name]
		if rest, ok := strings.CutPrefix(text, "+x"); ok {
			mode, text = "100755", rest
		} else if rest, ok := strings.CutPrefix(text, "->"); ok {
			mode, text = "120000", rest
		}
		fmt.Fprintf(out, "M %s inline %s\ndata %d\n%s\n", mode, name, len(text), text)
	}
	out.WriteString("\n")
}

// movedHistory draws the trees of a common ancestor and of both sides.
func movedHistory(t *rapid.T) (before, ours, theirs files) {
	before = files{}
	families := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"}
	if rapid.IntRange(0, 3).Draw(t, "alike") == 0 {
		families = families[:2]
	}
	for i := range rapid.IntRange(1, 7).Draw(t, "files") {
		before.put(drawName(t), drawText(t, families[i%len(families)]))
	}
	if rapid.IntRange(0, 9).Draw(t, "rules") == 0 {
		before.put(attributesName, rapid.SampledFrom(someRules).Draw(t, "rule")+"\n")
	}
	ours, theirs = maps.Clone(before), maps.Clone(before)
	for range rapid.IntRange(1, 3).Draw(t, "ours") {
		ours.change(t, "ours")
	}
	for range rapid.IntRange(1, 3).Draw(t, "theirs") {
		theirs.change(t, "theirs")
	}
	return before, ours, theirs
}

// gitMerge merges left and right with git. It returns the tree and, if there are conflicts, the
// files that conflict.
func gitMerge(t *rapid.T, g *gittest.Repo, bare bool) (tree string, conflicts []string) {
	cmd := g.Command("-c", fmt.Sprintf("core.bare=%v", bare), "merge-tree", "--write-tree", "--name-only", "--no-messages", "left", "right")
	if bare {
		cmd.Dir = filepath.Join(g.Dir, ".git")
	}
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git: %v", err)
	}
	lines := strings.Fields(string(out))
	if err == nil {
		return lines[0], nil
	}
	return lines[0], append([]string{"at least"}, lines[1:]...)
}

// checkOut writes the .gitattributes of a tree to the paths from which git reads them.
func checkOut(g *gittest.Repo, tree files) {
	for _, folder := range []string{"", "prod"} {
		name := filepath.Join(g.Dir, folder, attributesName)
		text, ok := tree[strings.TrimPrefix(folder+"/"+attributesName, "/")]
		if !ok {
			os.Remove(name)
			continue
		}
		g.Write(filepath.Join(folder, attributesName), text)
	}
}

// TestMovesLikeGit compares with real git, in merges with moved files and .gitattributes. If our
// merge has no conflict, git's merge has none either, and the results are the same.
func TestMovesLikeGit(t *testing.T) {
	testcost.Long(t) // git makes and merges many random histories
	g := gittest.New(t)
	g.NeedMergeTree()
	clean, conflicts, unsure, renames, folders := 0, 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		before, ours, theirs := movedHistory(t)
		var script strings.Builder
		script.WriteString("reset refs/heads/left\nreset refs/heads/right\n")
		before.script(&script, "left", 1, "")
		script.WriteString("reset refs/heads/right\nfrom :1\n")
		ours.script(&script, "left", 2, "from :1\n")
		theirs.script(&script, "right", 3, "from :1\n")
		g.FastImport(script.String())
		checkOut(g, ours)
		tree, theirConflicts := gitMerge(t, g, false)
		plainTree, plainConflicts := gitMerge(t, g, true)
		for _, path := range []string{"", "prod"} {
			m, err := mergeBranches(t.Context(), g, "left", "right", path)
			if err != nil {
				t.Fatalf("%v\n%s", err, script.String())
			}
			if path != "" && len(m.Conflicts) == 0 && m.Folder.IsZero() {
				continue // there is no such folder
			}
			if len(m.Conflicts) > 0 {
				if path == "" && theirConflicts == nil {
					unsure++
					t.Logf("unsure: %q", m.Conflicts)
				} else if path == "" {
					conflicts++
				}
				continue
			}
			for _, git := range []struct {
				tree      string
				conflicts []string
			}{{tree, theirConflicts}, {plainTree, plainConflicts}} {
				inside := slices.ContainsFunc(git.conflicts, func(name string) bool { return within(name, path) })
				if path != "" {
					git.tree = strings.TrimSpace(g.Git("rev-parse", git.tree+":"+path))
				}
				if inside || (git.conflicts == nil || path != "") && git.tree != m.Folder.String() {
					t.Fatalf("path %q: git's is %s, conflicts %q; ours is %s\n%s", path, git.tree, git.conflicts, m.Folder, script.String())
				}
			}
			if path == "" {
				clean++
			} else {
				folders++
			}
		}
		renames++
	})
	t.Logf("%d merges: %d clean (%d of a folder), %d conflicts, %d unsure", renames, clean, folders, conflicts, unsure)
	if clean == 0 || unsure*5 > renames {
		t.Errorf("%d clean and %d unsure of %d", clean, unsure, renames)
	}
}
