package merge

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// allThere is a History without a server: all commits are in one store already.
type allThere struct{ *store.Store }

func (a allThere) EnsureCommit(_ context.Context, commit plumbing.Hash) (*object.Commit, error) {
	return a.Commit(commit)
}

func (a allThere) FetchHistory(context.Context, []plumbing.Hash, int, bool, *store.Store) error {
	return nil
}

func (a allThere) GivesBareCommits() bool  { return false }
func (a allThere) LimitsGenerations() bool { return false }

// merged is the result of a merge of two branches. It has the files if nothing conflicts.
type merged struct {
	Result
	files fs.FS // nil if there is no such folder
}

// mergeBranches merges one folder of two branches of a repository.
func mergeBranches(ctx context.Context, g *gittest.Repo, base, head, folder string) (m merged, err error) {
	s := store.New("")
	pack := g.GitWith("", "pack-objects", "-q", "--all", "--stdout")
	if err := s.Receive(ctx, strings.NewReader(pack)); err != nil {
		return m, err
	}
	var commits [2]*object.Commit
	for i, branch := range []string{base, head} {
		if commits[i], err = s.Commit(plumbing.NewHash(g.Git("rev-parse", branch))); err != nil {
			return m, err
		}
	}
	if m.Result, err = Commits(ctx, s, allThere{s}, commits[0], commits[1:], folder); err != nil || len(m.Conflicts) > 0 || m.Folder.IsZero() {
		return m, err
	}
	m.files, err = s.Files(ctx, m.Folder, m.Made, time.Time{})
	return m, err
}

func mustMerge(t testing.TB, g *gittest.Repo, base, head, folder string) merged {
	t.Helper()
	m, err := mergeBranches(t.Context(), g, base, head, folder)
	if err != nil {
		t.Fatalf("merging %s: %v", head, err)
	}
	return m
}

func (m merged) read(t testing.TB, name string) string {
	t.Helper()
	if m.files == nil {
		t.Fatalf("%s is in no folder; conflicts %q", name, m.Conflicts)
	}
	content, err := fs.ReadFile(m.files, name)
	if err != nil {
		t.Fatal(fmt.Errorf("reading a merge: %w", err))
	}
	return string(content)
}

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

func edited(old, new string) string { return strings.Replace(ten, old+"\n", new+"\n", 1) }
