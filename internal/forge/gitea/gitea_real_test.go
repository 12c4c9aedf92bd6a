package gitea_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/gitea"
)

// TestPushesForReviewAreForeign pushes to refs/for/, which everybody may do who can read the
// repository. Such a pull request counts as one from a fork.
func TestPushesForReviewAreForeign(t *testing.T) {
	lab := start(t)
	foreign := lab.PushForReview(t, "stranger", "topic", map[string]string{"topic.yaml": "a: 1\n"})
	ours := lab.Push(t, "ours", map[string]string{"ours.yaml": "a: 1\n"})
	number := lab.OpenPull(t, "ours", lab.Branch(), "Ours")
	list, err := lab.Forge().OpenPulls(t.Context(), lab.Branch())
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if p := list[0]; p.Number != foreign || !p.Fork || p.Author != "stranger" || len(p.Head) != 40 {
		t.Errorf("in the list: %+v", p)
	}
	if p, err := lab.Forge().Pull(t.Context(), foreign); err != nil || !p.Fork || p.Head != list[0].Head {
		t.Errorf("alone: %+v, %v", p, err)
	}
	// A pull request whose branch was deleted does not count as one without a branch.
	lab.Close(t, number)
	lab.DeleteBranch(t, "ours")
	if p, err := lab.Forge().Pull(t.Context(), number); err != nil || p.Fork || p.Head != ours {
		t.Errorf("without its branch: %+v, %v; want the head %s", p, err, ours)
	}
}

// TestMergedHeadsStay checks that the head of a merged pull request does not change, even if its
// branch does.
func TestMergedHeadsStay(t *testing.T) {
	lab := start(t)
	head := lab.Push(t, "stays", map[string]string{"stays.yaml": "a: 1\n"})
	number := lab.OpenPull(t, "stays", lab.Branch(), "It stays")
	lab.Merge(t, number)
	lab.Push(t, "stays", map[string]string{"stays.yaml": "a: 2\n"})
	if p, err := lab.Forge().Pull(t.Context(), number); err != nil || p.Head != head || !p.Merged {
		t.Errorf("%+v, %v; want the head %s", p, err, head)
	}
}

func TestRights(t *testing.T) {
	lab := start(t)
	commit := lab.Push(t, "rights", map[string]string{"rights.yaml": "a: 1\n"})
	number := lab.OpenPull(t, "rights", lab.Branch(), "Rights")
	lab.Allow(t, "writer", true)
	lab.Allow(t, "reader", false)
	theirs := lab.AddComment(t, number, "writer", "hello")

	writer := enter(t, lab.Gitea, "writer").Forge()
	if _, err := writer.MayWrite(t.Context(), forge.Person{Login: "reader"}, "main"); !errors.Is(err, forge.ErrRefused) || !strings.Contains(err.Error(), "administrator of acme/cloud-config") {
		t.Errorf("a writer asks who may write: %v", err)
	}
	reader := enter(t, lab.Gitea, "reader").Forge()
	for what, err := range map[string]error{
		"sets a status":             reader.SetStatus(t.Context(), commit, forge.Status{Context: "c", State: forge.Success}),
		"edits another's comment":   reader.Edit(t.Context(), number, theirs, "goodbye"),
		"deletes another's comment": reader.Delete(t.Context(), number, theirs),
	} {
		if !errors.Is(err, forge.ErrRefused) {
			t.Errorf("a reader %s: %v", what, err)
		}
	}
	nobody, err := gitea.New(gitea.Config{URL: lab.URL, Repository: lab.Repository, Token: forge.FileToken(lab.TokenFile + "-not")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nobody.OpenPulls(t.Context(), lab.Branch()); !errors.Is(err, forge.ErrRefused) {
		t.Errorf("without a token: %v", err)
	}
}

// TestAway stops a forge and starts it again. After that, the same client works again.
func TestAway(t *testing.T) {
	lab := start(t)
	lab.Push(t, "away", map[string]string{"away.yaml": "a: 1\n"})
	number := lab.OpenPull(t, "away", lab.Branch(), "Away")
	f, err := gitea.New(gitea.Config{URL: lab.URL, Repository: lab.Repository, Token: forge.FileToken(lab.TokenFile)})
	if err != nil {
		t.Fatal(err)
	}
	mine, err := f.Post(t.Context(), number, "before")
	if err != nil {
		t.Fatal(err)
	}
	lab.Stop()
	if err := f.Edit(t.Context(), number, mine.ID, "meanwhile"); !errors.Is(err, forge.ErrUnavailable) {
		t.Errorf("while it is away: %v", err)
	}
	lab.Start(t)
	if err := f.Edit(t.Context(), number, mine.ID, "after"); err != nil {
		t.Errorf("when it is back: %v", err)
	}
	list, err := f.Comments(t.Context(), number)
	if err != nil || len(list) != 1 || list[0].Body != "after" || !list[0].Mine {
		t.Errorf("%+v, %v", list, err)
	}
	other := enter(t, lab.Another(t, "other"), forgetest.Bot)
	if open, err := other.Forge().OpenPulls(t.Context(), "main"); err != nil || len(open) != 0 {
		t.Errorf("in another repository: %+v, %v", open, err)
	}
}
