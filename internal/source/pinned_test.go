package source

import (
	"errors"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// TestPinnedCommitsAreFetchedOnce checks that a commit in the store is read without the server, by
// this process and by the next one. A commit that is not in the store is fetched.
func TestPinnedCommitsAreFetchedOnce(t *testing.T) {
	g := gittest.New(t)
	first := g.Commit("first", "a/x.yaml", "1")
	g.Commit("second", "a/x.yaml", "2")
	cfg := Config{URL: g.Dir, Path: "a", Dir: t.TempDir()}
	r := newRepo(t, cfg)
	for range 3 {
		rev, err := r.Pinned(t.Context(), first)
		if err != nil || readFile(t, rev, "x.yaml") != "1" || rev.Commit != first {
			t.Fatalf("%+v, %v", rev, err)
		}
	}
	if n := r.began.Load(); n != 1 {
		t.Errorf("%d conversations", n)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	next := newRepo(t, cfg)
	if rev, err := next.Pinned(t.Context(), first); err != nil || readFile(t, rev, "x.yaml") != "1" || next.began.Load() != 0 {
		t.Errorf("the next process: %v after %d conversations", err, next.began.Load())
	}
	if _, err := next.Pinned(t.Context(), strings.Repeat("1", 40)); !errors.Is(err, ErrNotFound) || next.began.Load() == 0 {
		t.Errorf("a commit that there is not: %v", err)
	}
}
