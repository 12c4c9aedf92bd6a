package source

import (
	"context"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// TestFoldersShareAClone checks that all folders of a repository use the commits that one of them
// has fetched.
func TestFoldersShareAClone(t *testing.T) {
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		g.Commit("first", "a/x.yaml", "1", "b/x.yaml", "2")
		root := newRepo(t, cfg)
		a, b := root.In("a"), root.In("b")
		revA, _ := mustFetch(t, a)
		revB, _ := mustFetch(t, b)
		if readFile(t, revA, "x.yaml") != "1" || readFile(t, revB, "x.yaml") != "2" || revA.Root != "a" || revA.Tree == revB.Tree {
			t.Errorf("got %+v and %+v", revA, revB)
		}
		if packs := root.cache.Store().PackSizes(); len(packs) != 1 {
			t.Errorf("%d packs were fetched for one commit", len(packs))
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		g.Commit("second", "b/x.yaml", "3")
		if revB, changed := mustFetch(t, b); !changed || readFile(t, revB, "x.yaml") != "3" {
			t.Errorf("after another folder was closed: %+v", revB)
		}
	})
}

// TestOneAnswerServesAllWhoWait checks that a caller that has waited for a conversation uses the
// references of that conversation. A caller that comes later requests the references again.
func TestOneAnswerServesAllWhoWait(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a/x.yaml", "1", "b/x.yaml", "2")
	root := newRepo(t, Config{URL: g.Dir, Branch: "main"})
	a, b := root.In("a"), root.In("b")
	waiting := root.began.Load()
	mustFetch(t, a)
	ask := func(asked int64) (conversations int64) {
		before := root.began.Load()
		err := b.converse(t.Context(), new(secrets), asked, func(ctx context.Context, conv *conversation) error {
			_, err := b.fetchChosen(ctx, conv, func(refs *packp.AdvRefs) (string, plumbing.Hash, error) { return findBranch(refs, "main") })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return root.began.Load() - before
	}
	if n := ask(waiting); n != 0 {
		t.Errorf("who waited made %d conversations", n)
	}
	if n := ask(root.began.Load()); n != 1 {
		t.Errorf("who came later made %d conversations", n)
	}
}
