package source

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/source/store"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// loggedRepo returns a Repo and the buffer that it logs to.
func loggedRepo(t testing.TB, cfg Config) (*Repo, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	r, err := New(cfg, slog.New(slog.NewTextHandler(&out, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, &out
}

func glob(t testing.TB, pattern ...string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func packsIn(t testing.TB, dir string) []string {
	return glob(t, dir, "*.0", "store-*", "objects", "pack", "*.pack")
}

func TestNoChangeIsOneRequest(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		g := gittest.New(t)
		g.Commit("first", "a.yaml", "1")
		w := serveHTTP(t, g)
		r := newRepo(t, Config{URL: w.url(), Dir: dir})
		mustFetch(t, r)
		for range 3 {
			before := w.requests.Load()
			if _, changed := mustFetch(t, r); changed {
				t.Error("changed")
			}
			if n := w.requests.Load() - before; n != 1 {
				t.Errorf("a poll that finds nothing took %d requests, want 1", n)
			}
		}
		if n := w.packs.Load(); n != 1 {
			t.Errorf("%d packs were asked for, want 1", n)
		}
	}
}

func TestRestartUsesCache(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	w := serveHTTP(t, g)
	cfg := Config{URL: w.url(), Dir: t.TempDir()}
	first := newRepo(t, cfg)
	mustFetch(t, first)
	first.Close()

	second, log := loggedRepo(t, cfg)
	if _, ok := second.Last(); ok {
		t.Error("a revision that no server confirmed is served")
	}
	rev, changed := mustFetch(t, second)
	if !changed || readFile(t, rev, "a.yaml") != "1" {
		t.Errorf("changed=%v", changed)
	}
	if n := w.packs.Load(); n != 1 {
		t.Errorf("the restart asked for a pack again: %d", n)
	}
	g.Commit("second", "b.yaml", "2")
	rev, _ = mustFetch(t, second)
	if readFile(t, rev, "a.yaml")+readFile(t, rev, "b.yaml") != "12" {
		t.Error("a fetch on top of the cache is not complete")
	}
	if log.Len() > 0 {
		t.Errorf("logged: %s", log)
	}
}

func TestUnusableCacheFolder(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	r, log := loggedRepo(t, Config{URL: g.Dir, Dir: filepath.Join(writeFile(t, "a file"), "cache")})
	rev, _ := mustFetch(t, r)
	if readFile(t, rev, "a.yaml") != "1" || !strings.Contains(log.String(), "continues without it") {
		t.Errorf("log says %q", log)
	}
}

func TestSharedCacheFolder(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "0")
	w := serveHTTP(t, g)
	cfg := Config{URL: w.url(), Dir: t.TempDir()}
	var repos []*Repo
	for range store.MaxSlots + 2 {
		repos = append(repos, newRepo(t, cfg))
	}
	for i := range 3 {
		want := g.Commit("next", "a.yaml", fmt.Sprint(i))
		var all sync.WaitGroup
		for _, r := range repos {
			all.Go(func() {
				rev, changed, err := r.Fetch(t.Context())
				if err != nil || !changed || rev.Commit != want {
					t.Errorf("changed=%v commit=%s error=%v", changed, rev.Commit, err)
					return
				}
				if b, err := fs.ReadFile(rev.Files, "a.yaml"); err != nil || string(b) != fmt.Sprint(i) {
					t.Errorf("a.yaml = %q, %v", b, err)
				}
			})
		}
		all.Wait()
	}
	if n := len(glob(t, cfg.Dir, "*.*")); n != store.MaxSlots {
		t.Errorf("%d slots, want %d", n, store.MaxSlots)
	}
}

// TestCacheIsBounded fetches more commits than one store may contain.
func TestCacheIsBounded(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	g := gittest.New(t)
	cfg := Config{URL: g.Dir, Dir: t.TempDir()}
	r := newRepo(t, cfg)
	g.Commit("first", "a.yaml", "first")
	older, _ := mustFetch(t, r)
	for i := range 2*store.MaxPacks + 5 {
		want := g.Commit("next", "b.yaml", fmt.Sprint(i))
		if rev, _ := mustFetch(t, r); rev.Commit != want {
			t.Fatalf("commit %s", rev.Commit)
		}
		if n := len(r.cache.Store().PackSizes()); n > store.MaxPacks {
			t.Fatalf("%d packs in a store", n)
		}
	}
	if readFile(t, older, "a.yaml") != "first" {
		t.Error("a revision that is in use cannot be read any more")
	}
	older = Revision{}
	eventually(t, "one store on disk", func() bool {
		runtime.GC()
		return len(glob(t, cfg.Dir, "*.0", "store-*")) == 1
	})
}

func eventually(t testing.TB, what string, reached func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !reached(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestConcurrentReads reads one revision while other revisions are fetched.
func TestConcurrentReads(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	for _, dir := range []string{"", t.TempDir()} {
		g := gittest.New(t)
		g.Commit("first", "a.yaml", "first", "b/c.yaml", "third")
		r := newRepo(t, Config{URL: g.Dir, Dir: dir})
		rev, _ := mustFetch(t, r)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 50 {
					a, err1 := fs.ReadFile(rev.Files, "a.yaml")
					i, err2 := fs.Stat(rev.Files, "b/c.yaml")
					if err1 != nil || err2 != nil || string(a) != "first" || i.Size() != 5 {
						t.Errorf("%q %v %v", a, err1, err2)
						return
					}
				}
			})
		}
		for i := range 10 {
			g.Commit("next", "a.yaml", fmt.Sprint(i))
			mustFetch(t, r)
		}
		all.Wait()
	}
}
