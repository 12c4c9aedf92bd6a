package forgetest

import (
	"errors"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

func file(name, text string) map[string]string { return map[string]string{name: text} }

func numbers(list []forge.Pull) []int {
	var out []int
	for _, p := range list {
		out = append(out, p.Number)
	}
	return out
}

func open(t *testing.T, lab Lab, branch string) []forge.Pull {
	t.Helper()
	list, err := lab.Forge().OpenPulls(t.Context(), branch)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func pull(t *testing.T, lab Lab, number int) forge.Pull {
	t.Helper()
	p, err := lab.Forge().Pull(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func testOpen(t *testing.T, lab Lab) {
	main := lab.Branch()
	lab.Push(t, "release", file("release.yaml", "a: 1\n"))
	commit := lab.Push(t, "open-a", file("a.yaml", "a: 1\n"))
	lab.Push(t, "open-b", file("b.yaml", "a: 1\n"))
	first := lab.OpenPull(t, "open-a", main, "Add a")
	second := lab.OpenPull(t, "open-b", main, "Add b")
	other := lab.OpenPull(t, "open-b", "release", "Add b to release")
	list := open(t, lab, main)
	if !slices.IsSorted(numbers(list)) || !slices.Contains(numbers(list), first) || !slices.Contains(numbers(list), second) || slices.Contains(numbers(list), other) {
		t.Errorf("open into %s: %v; want %d and %d, not %d", main, numbers(list), first, second, other)
	}
	i := slices.IndexFunc(list, func(p forge.Pull) bool { return p.Number == first })
	if i < 0 {
		t.FailNow()
	}
	for from, p := range map[string]forge.Pull{"OpenPulls": list[i], "Pull": pull(t, lab, first)} {
		if p.Head != commit || p.Base != main || p.Title != "Add a" || !p.Open || p.Merged || p.Fork || p.MergeCommit != "" || p.URL == "" || p.Author == "" || p.HeadRef == "" || p.Updated.IsZero() {
			t.Errorf("%s: %+v; want the commit %s into %s", from, p, commit, main)
		}
	}
	lab.Close(t, second)
	if list := open(t, lab, main); slices.Contains(numbers(list), second) {
		t.Errorf("a closed one is still open: %v", numbers(list))
	}
	if p := pull(t, lab, second); p.Open || p.Merged || p.MergeCommit != "" {
		t.Errorf("a closed one: %+v", p)
	}
}

func testHead(t *testing.T, lab Lab) {
	lab.Push(t, "head", file("head.yaml", "a: 1\n"))
	number := lab.OpenPull(t, "head", lab.Branch(), "Heads")
	before := pull(t, lab, number)
	commit := lab.Push(t, "head", file("head.yaml", "a: 2\n"))
	if p := pull(t, lab, number); p.Head != commit || p.Updated.Before(before.Updated) {
		t.Errorf("after a push to %s: %+v", commit, p)
	}
	commit = lab.Rewrite(t, "head", file("head.yaml", "a: 3\n"))
	if p := pull(t, lab, number); p.Head != commit || !p.Open {
		t.Errorf("after a forced push to %s: %+v", commit, p)
	}
}

func testMergedBy(t *testing.T, lab Lab) {
	main := lab.Branch()
	lab.Push(t, "merged", file("merged.yaml", "a: 1\n"))
	number := lab.OpenPull(t, "merged", main, "Merge it")
	head := pull(t, lab, number).Head
	if p, err := lab.Forge().MergedBy(t.Context(), main, head); !errors.Is(err, forge.ErrNotFound) {
		t.Errorf("an open one is said to have merged its head: %+v, %v", p, err)
	}
	commit := lab.Merge(t, number)
	p, err := lab.Forge().MergedBy(t.Context(), main, commit)
	if err != nil || p.Number != number || p.Open || !p.Merged || p.MergeCommit != commit || p.Base != main {
		t.Errorf("the one that merged %s: %+v, %v", commit, p, err)
	}
	if p := pull(t, lab, number); p.Open || !p.Merged || p.MergeCommit != commit {
		t.Errorf("a merged one: %+v", p)
	}
	direct := lab.Push(t, main, file("direct.yaml", "a: 1\n"))
	if p, err := lab.Forge().MergedBy(t.Context(), main, direct); !errors.Is(err, forge.ErrNotFound) {
		t.Errorf("a commit that came without one: %+v, %v", p, err)
	}
}

func testFork(t *testing.T, lab Lab) {
	number := lab.Fork(t, "stranger", "theirs", file("theirs.yaml", "a: 1\n"))
	p := pull(t, lab, number)
	if !p.Fork || !p.Open || p.Author != "stranger" || p.Base != lab.Branch() || len(p.Head) != 40 {
		t.Errorf("a fork's: %+v", p)
	}
	if !slices.Contains(numbers(open(t, lab, lab.Branch())), number) {
		t.Errorf("no pull request of a fork is listed")
	}
	lab.Unfork(t, "stranger")
	if after := pull(t, lab, number); !after.Fork || after.Head != p.Head {
		t.Errorf("a deleted fork's: %+v", after)
	}
	if i := slices.IndexFunc(open(t, lab, lab.Branch()), func(p forge.Pull) bool { return p.Number == number }); i >= 0 {
		if after := open(t, lab, lab.Branch())[i]; !after.Fork {
			t.Errorf("a deleted fork's in the list: %+v", after)
		}
	}
}

func testLastTouch(t *testing.T, lab Lab) {
	main := lab.Branch()
	first := lab.Push(t, main, file("deep/ä touched.yaml", "a: 1\n"))
	lab.Push(t, main, file("untouched.yaml", "a: 1\n"))
	if commit, err := lab.Forge().LastTouch(t.Context(), main, "deep/ä touched.yaml"); err != nil || commit != first {
		t.Errorf("the newest is %q, %v; want %s", commit, err, first)
	}
	second := lab.Push(t, main, file("deep/ä touched.yaml", "a: 2\n"))
	if commit, err := lab.Forge().LastTouch(t.Context(), main, "deep/ä touched.yaml"); err != nil || commit != second {
		t.Errorf("the newest is %q, %v; want %s", commit, err, second)
	}
	if commit, err := lab.Forge().LastTouch(t.Context(), main, "never.yaml"); !errors.Is(err, forge.ErrNotFound) {
		t.Errorf("a file that never was: %q, %v", commit, err)
	}
}

func testMayWrite(t *testing.T, lab Lab) {
	lab.Allow(t, "writer", true)
	lab.Allow(t, "reader", false)
	for login, want := range map[string]bool{"writer": true, "reader": false, "nobody-of-that-name": false, "": false} {
		if may, err := lab.Forge().MayWrite(t.Context(), forge.Person{Login: login}, lab.Branch()); may != want || err != nil {
			t.Errorf("%s may write: %v, %v", login, may, err)
		}
	}
	lab.Allow(t, "writer", false)
	if may, err := lab.Forge().MayWrite(t.Context(), forge.Person{Login: "writer"}, lab.Branch()); may || err != nil {
		t.Errorf("somebody who may no longer write: %v, %v", may, err)
	}
}

func testNotFound(t *testing.T, lab Lab) {
	f := lab.Forge()
	ctx := t.Context()
	_, pullErr := f.Pull(ctx, 99_999)
	_, commentsErr := f.Comments(ctx, 99_999)
	_, postErr := f.Post(ctx, 99_999, "hello")
	for what, err := range map[string]error{"Pull": pullErr, "Comments": commentsErr, "Post": postErr, "Edit": f.Edit(ctx, 1, 99_999_999, "hello")} {
		if !errors.Is(err, forge.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
