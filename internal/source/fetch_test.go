package source

import (
	"crypto/sha1"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func mustFetch(t testing.TB, r *Repo) (Revision, bool) {
	t.Helper()
	rev, changed, err := r.Fetch(t.Context())
	if err != nil {
		t.Fatalf("fetch: %v", err)
	}
	return rev, changed
}

func readFile(t testing.TB, rev Revision, name string) string {
	t.Helper()
	content, err := fs.ReadFile(rev.Files, name)
	if err != nil {
		t.Fatalf("reading %s of %s: %v", name, rev.Commit, err)
	}
	return string(content)
}

// eachWay runs story with every transport and both kinds of storage.
func eachWay(t *testing.T, story func(t *testing.T, g *gittest.Repo, cfg Config)) {
	for _, storage := range []string{"memory", "disk"} {
		for _, transport := range []string{"local", "file-url", "http", "ssh"} {
			t.Run(storage+"/"+transport, func(t *testing.T) {
				g := gittest.New(t)
				cfg := Config{Branch: "main"}
				switch transport {
				case "local":
					cfg.URL = g.Dir
				case "file-url":
					cfg.URL = "file://" + g.Dir
				case "http":
					cfg.URL = serveHTTP(t, g).url()
				case "ssh":
					cfg = serveSSH(t, g).config()
				}
				if storage == "disk" {
					cfg.Dir = t.TempDir()
				}
				story(t, g, cfg)
			})
		}
	}
}

// TestFetchSendsWhatIsNew checks the size of the second pack, which has only the new objects.
func TestFetchSendsWhatIsNew(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		var noise strings.Builder
		for n := range 20_000 {
			fmt.Fprintf(&noise, "%x\n", sha1.Sum([]byte{byte(n), byte(n >> 8)}))
		}
		g.Commit("first", "large", noise.String(), "a.yaml", "1")
		r := newRepo(t, cfg)
		mustFetch(t, r)
		g.Commit("second", "a.yaml", "2")
		rev, _ := mustFetch(t, r)
		if readFile(t, rev, "large") != noise.String() || readFile(t, rev, "a.yaml") != "2" {
			t.Error("the second revision is not complete")
		}
		packs := r.cache.Store().PackSizes()
		if len(packs) != 2 || packs[0] < 100_000 || packs[1] > 2_000 {
			t.Errorf("packs: %v", packs)
		}
	})
}

func TestFollowBranch(t *testing.T) {
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		first := g.Commit("first\n\nbody", "clouds/prod/a.yaml", "one", "README.md", "read")
		cfg.Path = "clouds/prod"
		r := newRepo(t, cfg)
		rev, changed := mustFetch(t, r)
		if !changed || rev.Commit != first || rev.Branch != "main" || rev.Subject != "first" || rev.Author != "Ann Author" || rev.Time.IsZero() {
			t.Fatalf("changed=%v, revision %+v", changed, rev)
		}
		if got := readFile(t, rev, "a.yaml"); got != "one" {
			t.Errorf("a.yaml = %q", got)
		}
		if _, err := fs.Stat(rev.Files, "README.md"); err == nil {
			t.Error("a file outside the path is visible")
		}
		if _, changed := mustFetch(t, r); changed {
			t.Error("changed without a commit")
		}
		second := g.Commit("second", "clouds/prod/a.yaml", "two")
		next, changed := mustFetch(t, r)
		if !changed || next.Commit != second || readFile(t, next, "a.yaml") != "two" {
			t.Errorf("changed=%v commit=%s", changed, next.Commit)
		}
		if readFile(t, rev, "a.yaml") != "one" {
			t.Error("the older revision changed")
		}
		g.Git("reset", "-q", "--hard", first)
		back, changed := mustFetch(t, r)
		if !changed || back.Commit != first || readFile(t, back, "a.yaml") != "one" {
			t.Errorf("after a forced push back: changed=%v commit=%s", changed, back.Commit)
		}
	})
}

// TestHistoryReplaced fetches a branch whose old commits the server has removed.
func TestHistoryReplaced(t *testing.T) {
	testcost.Long(t) // git makes and serves the repositories
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		g.Commit("first", "a.yaml", "1", "b.yaml", "2")
		r := newRepo(t, cfg)
		mustFetch(t, r)
		g.Git("checkout", "-q", "--orphan", "new")
		want := g.Commit("rewritten", "a.yaml", "3")
		g.Git("branch", "-M", "new", "main")
		g.Git("reflog", "expire", "--expire=now", "--all")
		g.Git("gc", "-q", "--prune=now")
		rev, changed := mustFetch(t, r)
		if !changed || rev.Commit != want || readFile(t, rev, "a.yaml")+readFile(t, rev, "b.yaml") != "32" {
			t.Errorf("changed=%v revision %+v", changed, rev)
		}
	})
}

// cutWriter sends the first bytes of an answer, and then closes the connection.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (c *cutWriter) Write(p []byte) (int, error) {
	if len(p) > c.left {
		c.ResponseWriter.Write(p[:c.left])
		c.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= len(p)
	return c.ResponseWriter.Write(p)
}

func TestTransferCutShort(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		g := gittest.New(t)
		g.Commit("first", "a.yaml", "1")
		w := serveHTTP(t, g)
		backend := w.Config.Handler
		cut := -1
		w.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodPost && cut >= 0 {
				rw = &cutWriter{rw, cut}
			}
			backend.ServeHTTP(rw, req)
		})
		r := newRepo(t, Config{URL: w.url(), Dir: dir})
		for _, cut = range []int{0, 4, 60, 100, 150, 250} {
			wantError(t, fetchError(t, r), ErrUnavailable)
		}
		cut = -1
		first, _ := mustFetch(t, r)
		want := g.Commit("second", "a.yaml", "2")
		for _, cut = range []int{0, 4, 60, 100, 150, 250} {
			wantError(t, fetchError(t, r), ErrUnavailable)
			if last, _ := r.Last(); last.Commit != first.Commit || readFile(t, last, "a.yaml") != "1" {
				t.Error("the last revision does not serve")
			}
		}
		cut = -1
		if rev, changed := mustFetch(t, r); !changed || rev.Commit != want || readFile(t, rev, "a.yaml") != "2" {
			t.Errorf("changed=%v revision %+v", changed, rev)
		}
	}
}

// TestLargePackWithoutFolder reads from a large pack without a cache folder. The pack is a temporary
// file that is deleted as soon as it is open.
func TestLargePackWithoutFolder(t *testing.T) {
	testcost.Long(t)              // git makes and serves the repositories
	noise := make([]byte, 12<<20) // even compressed, it is too large for a pack in memory
	random := uint32(1)
	for i := range noise {
		random = random*1664525 + 1013904223
		noise[i] = byte(random >> 24)
	}
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1", "noise", string(noise))
	r := newRepo(t, Config{URL: g.Dir})
	rev, _ := mustFetch(t, r)
	if readFile(t, rev, "noise") != string(noise) || readFile(t, rev, "a.yaml") != "1" {
		t.Error("the files are others")
	}
	g.Commit("second", "a.yaml", "2") // a thin pack, whose deltas have bases in the first one
	rev, _ = mustFetch(t, r)
	if readFile(t, rev, "noise") != string(noise) || readFile(t, rev, "a.yaml") != "2" {
		t.Error("the files are others after another fetch")
	}
}
