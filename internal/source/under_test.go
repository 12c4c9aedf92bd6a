package source

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// TestMergedUnderLikeGit compares two merges, one after the other, with real git on random histories.
func TestMergedUnderLikeGit(t *testing.T) {
	testcost.Long(t) // git makes and merges many random histories
	g := gittest.New(t)
	g.NeedMergeTree()
	clean := 0
	merged := func(into, head string) (tree string, ok bool) {
		out, err := g.Command("merge-tree", "--write-tree", into, head).Output()
		return strings.TrimSpace(string(out)), err == nil
	}
	rapid.Check(t, func(t *rapid.T) {
		script := randomHistory(t)
		g.FastImport(script)
		older := strings.Fields(g.Git("rev-list", "--first-parent", "right"))
		middle := rapid.SampledFrom(older).Draw(t, "middle")
		g.Git("update-ref", "refs/heads/middle", middle)
		r, err := New(Config{URL: g.Dir, Branch: "left"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		m, err := r.Merged(t.Context(), "right", "middle")
		if err != nil {
			t.Fatalf("%v\n%s", err, script)
		}
		between := "left"
		tree, ok := merged("left", "middle")
		if ok && middle != g.Git("rev-parse", "left") { // a commit cannot have the same parent twice
			between = strings.TrimSpace(g.Git("commit-tree", "-m", "between", "-p", "left", "-p", "middle", tree))
		}
		if ok {
			tree, ok = merged(between, "right")
		}
		switch {
		case len(strings.Fields(g.Git("merge-base", "--all", "left", "right"))) > 1 || len(strings.Fields(g.Git("merge-base", "--all", "left", "middle"))) > 1:
			// TestMergedLikeGit explains in which cases these may differ.
		case ok != (len(m.Conflicts) == 0) || ok && tree != m.Tree:
			t.Fatalf("git: %v %s\nours: %v %s\n%s", ok, tree, m.Conflicts, m.Tree, script)
		case ok:
			clean++
		}
	})
	if clean == 0 {
		t.Error("not a single history merged cleanly")
	}
	t.Logf("%d clean merges", clean)
}
