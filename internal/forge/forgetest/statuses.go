package forgetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// status reads the status of a context from the forge.
func status(t *testing.T, lab Lab, commit, name string) (forge.Status, bool) {
	t.Helper()
	list, err := lab.Forge().Statuses(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(s forge.Status) bool { return s.Context == name })
	if i < 0 {
		return forge.Status{}, false
	}
	if slices.ContainsFunc(list[i+1:], func(s forge.Status) bool { return s.Context == name }) {
		t.Errorf("%s is there twice: %+v", name, list)
	}
	return list[i], true
}

// reported pushes a commit that can have a status. If a commit of a branch cannot have one on this
// forge, reported opens a pull request for it.
func reported(t *testing.T, lab Lab, branch string, files map[string]string) (commit string) {
	t.Helper()
	commit = lab.Push(t, branch, files)
	if f := lab.Forge(); !f.Can.Has(forge.BranchStatuses) {
		if err := f.SetStatus(t.Context(), commit, forge.Status{Context: "c", State: forge.Success}); !errors.Is(err, forge.ErrUnsupported) {
			t.Errorf("declared that not %s: %v", forge.BranchStatuses, err)
		}
		if list, err := f.Statuses(t.Context(), commit); err != nil || len(list) != 0 {
			t.Errorf("declared that not %s: %+v, %v", forge.BranchStatuses, list, err)
		}
		lab.OpenPull(t, branch, lab.Branch(), "Report on "+branch)
	}
	return commit
}

func testStatuses(t *testing.T, lab Lab) {
	f := lab.Forge()
	commit := reported(t, lab, "statuses", file("statuses.yaml", "a: 1\n"))
	if list, err := f.Statuses(t.Context(), commit); err != nil || len(list) != 0 {
		t.Fatalf("a new commit: %+v, %v", list, err)
	}
	for _, state := range []forge.State{forge.Pending, forge.Error, forge.Failure, forge.Success} {
		for _, name := range []string{"stackreeve/prod/plan", "stackreeve/prod/sync"} {
			s := forge.Status{Context: name, State: state, Description: "it is " + string(state) + " – ä", URL: "https://example.org/" + string(state)}
			if err := f.SetStatus(t.Context(), commit, s); err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
			if got, ok := status(t, lab, commit, name); !ok || got != s {
				t.Errorf("%+v came back as %+v, %v", s, got, ok)
			}
		}
	}
	if err := f.SetStatus(t.Context(), commit, forge.Status{Context: "stackreeve/prod/plan", State: "splendid"}); !errors.Is(err, forge.ErrRefused) {
		t.Errorf("a state that does not exist: %v", err)
	}
	if err := f.SetStatus(t.Context(), strings.Repeat("e", 40), forge.Status{Context: "c", State: forge.Success}); !errors.Is(err, forge.ErrRefused) && !errors.Is(err, forge.ErrNotFound) && !errors.Is(err, forge.ErrUnsupported) {
		t.Errorf("a commit that does not exist: %v", err)
	}
	if err := f.SetStatus(t.Context(), commit[:7], forge.Status{Context: "c", State: forge.Success}); !errors.Is(err, forge.ErrRefused) {
		t.Errorf("half a commit: %v", err)
	}
}

// testOddStatuses sets statuses with texts that are too long, or that some forge refuses. Their
// texts have to be changed so that the forge accepts them.
func testOddStatuses(t *testing.T, lab Lab) {
	f := lab.Forge()
	commit := reported(t, lab, "odd-statuses", file("odd.yaml", "a: 1\n"))
	for name, s := range map[string]forge.Status{
		"long":          {Context: "long", Description: strings.Repeat("ä", 300)},
		"beyond":        {Context: "beyond", Description: "a 🙂 smile"},
		"lines":         {Context: "lines", Description: "one\ntwo"},
		"without words": {Context: "without words"},
	} {
		s.State = forge.Success
		if err := f.SetStatus(t.Context(), commit, s); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, ok := status(t, lab, commit, s.Context); !ok || got.Description != forge.Describe(s.Description) {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
	// Two long contexts that only differ at their ends stay different.
	for _, end := range []string{"a", "b"} {
		if err := f.SetStatus(t.Context(), commit, forge.Status{Context: strings.Repeat("ö", 300) + end, State: forge.Success, Description: end}); err != nil {
			t.Errorf("a long context: %v", err)
		}
	}
	list, err := f.Statuses(t.Context(), commit)
	long := slices.DeleteFunc(list, func(s forge.Status) bool { return !strings.HasPrefix(s.Context, "öö") })
	if err != nil || len(long) != 2 || long[0].Description == long[1].Description || utf8.RuneCountInString(long[0].Context) > 255 {
		t.Errorf("long contexts came back as %+v, %v", long, err)
	}
}

// testManyStatuses sets statuses of more contexts than fit on a page of any forge.
func testManyStatuses(t *testing.T, lab Lab) {
	commit := reported(t, lab, "many-statuses", file("many-statuses.yaml", "a: 1\n"))
	const many = 105
	for i := range many {
		if err := lab.Forge().SetStatus(t.Context(), commit, forge.Status{Context: fmt.Sprint("context ", i), State: forge.Success}); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := lab.Forge().Statuses(t.Context(), commit); err != nil || len(list) != many {
		t.Errorf("%d statuses, %v; want %d", len(list), err, many)
	}
}

func testChecks(t *testing.T, lab Lab) {
	f := lab.Forge()
	commit := lab.Push(t, "checks", file("checks.yaml", "a: 1\n"))
	c := forge.Check{Name: "stackreeve/prod", Commit: commit, State: forge.Pending, Title: "Planning", Summary: "soon"}
	if f.Checks == nil {
		return
	}
	err := f.PutCheck(t.Context(), c)
	if errors.Is(err, forge.ErrUnsupported) { // these credentials do not allow checks
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	c.State, c.Title, c.Summary, c.Text = forge.Failure, "1 problem", "**one**", strings.Repeat("ä", 70_000)
	for i := range 120 {
		c.Annotations = append(c.Annotations, forge.Annotation{File: "checks.yaml", Line: i + 1, Level: forge.Grave, Title: "Wrong", Message: fmt.Sprint("line ", i+1)})
	}
	for range 2 {
		if err := f.PutCheck(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// testStatusesOfOthers sets a status with one of our contexts as another account. Such a status
// does not count as ours. When it hides ours, our status is marked as covered.
func testStatusesOfOthers(t *testing.T, lab Lab) {
	f := lab.Forge()
	lab.Allow(t, "writer", true)
	commit := reported(t, lab, "statuses-of-others", file("statuses-of-others.yaml", "a: 1\n"))
	lab.SetStatus(t, "writer", commit, forge.Status{Context: "stackreeve/prod/sync", State: forge.Success, Description: "in sync: 9 objects"})
	if got, ok := status(t, lab, commit, "stackreeve/prod/sync"); ok {
		t.Errorf("a status of somebody else's is taken for ours: %+v", got)
	}
	s := forge.Status{Context: "stackreeve/prod/sync", State: forge.Pending, Description: "1 to create"}
	if err := f.SetStatus(t.Context(), commit, s); err != nil {
		t.Fatal(err)
	}
	if got, ok := status(t, lab, commit, s.Context); !ok || got != s {
		t.Errorf("ours, above another's: %+v, %v", got, ok)
	}
	lab.SetStatus(t, "writer", commit, forge.Status{Context: s.Context, State: forge.Success, Description: "in sync: 9 objects"})
	s.Covered = true
	if got, ok := status(t, lab, commit, s.Context); !ok || got != s {
		t.Errorf("ours, below another's: %+v, %v; want %+v", got, ok, s)
	}
	lab.Allow(t, "writer", false)
}
