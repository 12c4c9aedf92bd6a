package source

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

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

// harm is damage to the cache, as a killed process or a failing disk causes it.
type harm struct {
	do     func(t testing.TB, dir string)
	silent bool // whether nothing is logged
}

func harms() map[string]harm {
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
	return map[string]harm{
		"pack altered": {do: func(t testing.TB, dir string) { damage(t, packsIn(t, dir)[0]) }},
		"pack cut": {do: func(t testing.TB, dir string) {
			if err := os.Truncate(packsIn(t, dir)[0], 40); err != nil {
				t.Fatal(err)
			}
		}},
		"pack empty": {do: func(t testing.TB, dir string) { write(t, packsIn(t, dir)[0], "") }},
		"pack gone":  {do: func(t testing.TB, dir string) { remove(t, packsIn(t, dir)) }},
		"index gone": {do: func(t testing.TB, dir string) { remove(t, glob(t, dir, "*.0", "store-*", "objects", "pack", "*.idx")) }},
		"index altered": {do: func(t testing.TB, dir string) {
			damage(t, glob(t, dir, "*.0", "store-*", "objects", "pack", "*.idx")[0])
		}},
		"store gone":  {do: func(t testing.TB, dir string) { remove(t, glob(t, dir, "*.0", "store-*")) }},
		"current cut": {do: func(t testing.TB, dir string) { write(t, glob(t, dir, "*.0", "current")[0], "store-") }},
		"current hostile": {do: func(t testing.TB, dir string) {
			write(t, glob(t, dir, "*.0", "current")[0], "store-/../../.. "+strings.Repeat("0", 40))
		}},
		"current other": {do: func(t testing.TB, dir string) {
			f := glob(t, dir, "*.0", "current")[0]
			b, _ := os.ReadFile(f)
			write(t, f, strings.Fields(string(b))[0]+" "+strings.Repeat("1", 40))
		}},
		"killed before the first pack": {silent: true, do: func(t testing.TB, dir string) {
			remove(t, glob(t, dir, "*.0", "current"))
			write(t, filepath.Join(glob(t, dir, "*.0", "store-*")[0], "incoming-1"), "PACK")
		}},
		"all gone": {silent: true, do: func(t testing.TB, dir string) { remove(t, glob(t, dir, "*")) }},
	}
}

// TestDamagedCache starts with a cache that an earlier process has left damaged in many ways.
func TestDamagedCache(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	for name, c := range harms() {
		t.Run(name, func(t *testing.T) {
			g := gittest.New(t)
			want := g.Commit("first", "a.yaml", "1", "b.yaml", strings.Repeat("long ", 1000))
			cfg := Config{URL: g.Dir, Dir: t.TempDir()}
			r := newRepo(t, cfg)
			mustFetch(t, r)
			r.Close()
			c.do(t, cfg.Dir)

			r, log := loggedRepo(t, cfg)
			rev, _ := mustFetch(t, r)
			if rev.Commit != want || readFile(t, rev, "a.yaml") != "1" || len(readFile(t, rev, "b.yaml")) != 5000 {
				t.Errorf("revision %+v", rev)
			}
			if said := strings.Contains(log.String(), "level=WARN"); said == c.silent {
				t.Errorf("log says %q", log)
			}
			if n := len(glob(t, cfg.Dir, "*.0", "store-*")); n != 1 {
				t.Errorf("%d stores are left", n)
			}
			r.Close()
			again, log := loggedRepo(t, cfg)
			mustFetch(t, again)
			if log.Len() > 0 {
				t.Errorf("the cache was not repaired: %s", log)
			}
		})
	}
}

func TestLeftoverOfKilledFetchIsRemoved(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	cfg := Config{URL: g.Dir, Dir: t.TempDir()}
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

// TestWipedWhileRunning deletes the cache folder while a Repo uses it.
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
			g := gittest.New(t)
			g.Commit("first", "a.yaml", "1")
			cfg := Config{URL: g.Dir, Dir: filepath.Join(t.TempDir(), "cache")}
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
			next := g.Commit("second", "a.yaml", "2")
			if rev, _ = mustFetch(t, r); rev.Commit != next || readFile(t, rev, "a.yaml") != "2" {
				t.Errorf("revision %+v", rev)
			}
		})
	}
}

// TestUnreadableBlob has a local copy with a damaged file. The damage is found only when the file
// is read.
func TestUnreadableBlob(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", strings.Repeat("one ", 100))
	cfg := Config{URL: g.Dir, Dir: t.TempDir()}
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
