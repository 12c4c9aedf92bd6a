package source

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// loggedRepo is a Repo and what it logs.
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

func damage(t testing.TB, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 12; i < len(content)-20; i++ {
		content[i] ^= 0xff
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNoChangeIsOneRequest(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		g := newGitRepo(t)
		g.commit("first", "a.yaml", "1")
		w := serveHTTP(t, g)
		r := newRepo(t, Config{URL: w.url(), Dir: dir})
		mustFetch(t, r)
		for range 3 {
			before := w.requests.Load()
			if _, changed := mustFetch(t, r); changed {
				t.Error("changed")
			}
			if n := w.requests.Load() - before; n != 1 {
				t.Errorf("a look that finds nothing took %d requests, want 1", n)
			}
		}
		if n := w.packs.Load(); n != 1 {
			t.Errorf("%d packs were asked for, want 1", n)
		}
	}
}

func TestRestartUsesCache(t *testing.T) {
	g := newGitRepo(t)
	g.commit("first", "a.yaml", "1")
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
	g.commit("second", "b.yaml", "2")
	rev, _ = mustFetch(t, second)
	if readFile(t, rev, "a.yaml")+readFile(t, rev, "b.yaml") != "12" {
		t.Error("a fetch on top of the cache is not whole")
	}
	if log.Len() > 0 {
		t.Errorf("logged: %s", log)
	}
}

// TestDamagedCache starts on a cache that an earlier process left in all sorts
// of states.
func TestDamagedCache(t *testing.T) {
	remove := func(t testing.TB, files []string) {
		for _, f := range files {
			if err := os.RemoveAll(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(t testing.TB, file, content string) {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		harm   func(t testing.TB, dir string)
		silent bool
	}{
		"pack altered": {harm: func(t testing.TB, dir string) { damage(t, packsIn(t, dir)[0]) }},
		"pack cut": {harm: func(t testing.TB, dir string) {
			if err := os.Truncate(packsIn(t, dir)[0], 40); err != nil {
				t.Fatal(err)
			}
		}},
		"pack empty": {harm: func(t testing.TB, dir string) { write(t, packsIn(t, dir)[0], "") }},
		"pack gone":  {harm: func(t testing.TB, dir string) { remove(t, packsIn(t, dir)) }},
		"index gone": {harm: func(t testing.TB, dir string) { remove(t, glob(t, dir, "*.0", "store-*", "objects", "pack", "*.idx")) }},
		"index altered": {harm: func(t testing.TB, dir string) {
			damage(t, glob(t, dir, "*.0", "store-*", "objects", "pack", "*.idx")[0])
		}},
		"store gone":  {harm: func(t testing.TB, dir string) { remove(t, glob(t, dir, "*.0", "store-*")) }},
		"current cut": {harm: func(t testing.TB, dir string) { write(t, glob(t, dir, "*.0", "current")[0], "store-") }},
		"current hostile": {harm: func(t testing.TB, dir string) {
			write(t, glob(t, dir, "*.0", "current")[0], "store-/../../.. "+strings.Repeat("0", 40))
		}},
		"current other": {harm: func(t testing.TB, dir string) {
			f := glob(t, dir, "*.0", "current")[0]
			b, _ := os.ReadFile(f)
			write(t, f, strings.Fields(string(b))[0]+" "+strings.Repeat("1", 40))
		}},
		"killed before the first pack": {silent: true, harm: func(t testing.TB, dir string) {
			remove(t, glob(t, dir, "*.0", "current"))
			write(t, filepath.Join(glob(t, dir, "*.0", "store-*")[0], "incoming-1"), "PACK")
		}},
		"all gone": {silent: true, harm: func(t testing.TB, dir string) { remove(t, glob(t, dir, "*")) }},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGitRepo(t)
			want := g.commit("first", "a.yaml", "1", "b.yaml", strings.Repeat("long ", 1000))
			cfg := Config{URL: g.dir, Dir: t.TempDir()}
			r := newRepo(t, cfg)
			mustFetch(t, r)
			r.Close()
			c.harm(t, cfg.Dir)

			r, log := loggedRepo(t, cfg)
			rev, _ := mustFetch(t, r)
			if rev.Commit != want || readFile(t, rev, "a.yaml") != "1" || len(readFile(t, rev, "b.yaml")) != 5000 {
				t.Errorf("revision %+v", rev)
			}
			if said := strings.Contains(log.String(), "damaged; fetching it anew"); said == c.silent {
				t.Errorf("log says %q", log)
			}
			if n := len(glob(t, cfg.Dir, "*.0", "store-*")); n != 1 {
				t.Errorf("%d stores are left", n)
			}
			r.Close()
			again, log := loggedRepo(t, cfg)
			mustFetch(t, again)
			if log.Len() > 0 {
				t.Errorf("the cache was not mended: %s", log)
			}
		})
	}
}

func TestLeftoverOfKilledFetchIsRemoved(t *testing.T) {
	g := newGitRepo(t)
	g.commit("first", "a.yaml", "1")
	cfg := Config{URL: g.dir, Dir: t.TempDir()}
	r := newRepo(t, cfg)
	mustFetch(t, r)
	r.Close()
	leftover := filepath.Join(glob(t, cfg.Dir, "*.0", "store-*")[0], "incoming-7")
	if err := os.WriteFile(leftover, make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	mustFetch(t, newRepo(t, cfg))
	if _, err := os.Stat(leftover); err == nil {
		t.Error("half a pack is still there")
	}
}

// TestWipedWhileRunning takes the cache folder away under a running Repo.
func TestWipedWhileRunning(t *testing.T) {
	for name, harm := range map[string]func(t testing.TB, dir string){
		"all removed": func(t testing.TB, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		},
		"pack cut": func(t testing.TB, dir string) {
			if err := os.Truncate(packsIn(t, dir)[0], 30); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGitRepo(t)
			g.commit("first", "a.yaml", "1")
			cfg := Config{URL: g.dir, Dir: filepath.Join(t.TempDir(), "cache")}
			r, log := loggedRepo(t, cfg)
			mustFetch(t, r)
			harm(t, cfg.Dir)
			rev, changed := mustFetch(t, r)
			if changed || readFile(t, rev, "a.yaml") != "1" {
				t.Errorf("changed=%v", changed)
			}
			if !strings.Contains(log.String(), "damaged") {
				t.Errorf("log says %q", log)
			}
			next := g.commit("second", "a.yaml", "2")
			if rev, _ = mustFetch(t, r); rev.Commit != next || readFile(t, rev, "a.yaml") != "2" {
				t.Errorf("revision %+v", rev)
			}
		})
	}
}

// TestUnreadableBlob finds out that the copy is bad by reading from it.
func TestUnreadableBlob(t *testing.T) {
	g := newGitRepo(t)
	g.commit("first", "a.yaml", strings.Repeat("one ", 100))
	cfg := Config{URL: g.dir, Dir: t.TempDir()}
	r, log := loggedRepo(t, cfg)
	rev, _ := mustFetch(t, r)
	damage(t, packsIn(t, cfg.Dir)[0])
	if _, err := fs.ReadFile(rev.Files, "a.yaml"); err == nil {
		t.Fatal("reading from a damaged pack works")
	}
	rev, changed := mustFetch(t, r)
	if changed || len(readFile(t, rev, "a.yaml")) != 400 {
		t.Errorf("changed=%v", changed)
	}
	if !strings.Contains(log.String(), "damaged") {
		t.Errorf("log says %q", log)
	}
}

func TestUnusableCacheFolder(t *testing.T) {
	g := newGitRepo(t)
	g.commit("first", "a.yaml", "1")
	r, log := loggedRepo(t, Config{URL: g.dir, Dir: filepath.Join(writeFile(t, "a file"), "cache")})
	rev, _ := mustFetch(t, r)
	if readFile(t, rev, "a.yaml") != "1" || !strings.Contains(log.String(), "going on in memory") {
		t.Errorf("log says %q", log)
	}
}

func TestSharedCacheFolder(t *testing.T) {
	g := newGitRepo(t)
	g.commit("first", "a.yaml", "0")
	w := serveHTTP(t, g)
	cfg := Config{URL: w.url(), Dir: t.TempDir()}
	var repos []*Repo
	for range maxSlots + 2 {
		repos = append(repos, newRepo(t, cfg))
	}
	for i := range 3 {
		want := g.commit("next", "a.yaml", fmt.Sprint(i))
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
	if n := len(glob(t, cfg.Dir, "*.*")); n != maxSlots {
		t.Errorf("%d slots, want %d", n, maxSlots)
	}
}

// TestCacheIsBounded follows more commits than one store takes.
func TestCacheIsBounded(t *testing.T) {
	g := newGitRepo(t)
	cfg := Config{URL: g.dir, Dir: t.TempDir()}
	r := newRepo(t, cfg)
	g.commit("first", "a.yaml", "first")
	held, _ := mustFetch(t, r)
	for i := range 2*maxPacks + 5 {
		want := g.commit("next", "b.yaml", fmt.Sprint(i))
		if rev, _ := mustFetch(t, r); rev.Commit != want {
			t.Fatalf("commit %s", rev.Commit)
		}
		if n := len(r.store.packs); n > maxPacks {
			t.Fatalf("%d packs in a store", n)
		}
	}
	if readFile(t, held, "a.yaml") != "first" {
		t.Error("a revision that is held cannot be read any more")
	}
	held = Revision{}
	eventually(t, "one store on disk", func() bool {
		runtime.GC()
		return len(glob(t, cfg.Dir, "*.0", "store-*")) == 1
	})
}

func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestConcurrentReads reads one revision while others are fetched.
func TestConcurrentReads(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		g := newGitRepo(t)
		g.commit("first", "a.yaml", "first", "b/c.yaml", "third")
		r := newRepo(t, Config{URL: g.dir, Dir: dir})
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
			g.commit("next", "a.yaml", fmt.Sprint(i))
			mustFetch(t, r)
		}
		all.Wait()
	}
}
