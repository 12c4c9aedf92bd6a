package source

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// wantError checks the class of an error, and that its text contains some words.
func wantError(t testing.TB, err, class error, words ...string) {
	t.Helper()
	if !errors.Is(err, class) {
		t.Fatalf("error %q is not %q", err, class)
	}
	if NeedsPerson(err) == errors.Is(class, ErrUnavailable) {
		t.Errorf("NeedsPerson(%q) = %v", err, NeedsPerson(err))
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

func fetchError(t testing.TB, r *Repo) error {
	t.Helper()
	rev, changed, err := r.Fetch(t.Context())
	if err == nil || changed || rev.Files != nil {
		t.Fatalf("Fetch = %+v, %v, %v; want only an error", rev, changed, err)
	}
	return err
}

func TestBranchGoneAndBack(t *testing.T) {
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		g.Commit("first", "a.yaml", "1")
		g.Git("branch", "production")
		g.Git("branch", "unrelated")
		cfg.Branch = "production"
		r := newRepo(t, cfg)
		first, _ := mustFetch(t, r)
		g.Git("branch", "-m", "production", "productions")
		wantError(t, fetchError(t, r), ErrNotFound, `no branch "production"`, `"productions", `, r.addr.String())
		if last, ok := r.Last(); !ok || last.Commit != first.Commit || readFile(t, last, "a.yaml") != "1" {
			t.Error("the last revision does not serve any more")
		}
		g.Git("branch", "-m", "productions", "production")
		if _, changed := mustFetch(t, r); changed {
			t.Error("changed, although the branch came back as it was")
		}
	})
}

func TestPathErrors(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "clouds/prod/a.yaml", "1", "clouds/production/b.yaml", "2", "file", "3")
	g.Git("update-index", "--add", "--cacheinfo", "120000,"+g.Git("hash-object", "-w", "file")+",clouds/link")
	g.Git("commit", "-q", "-m", "link")
	for path, words := range map[string][]string{
		"clouds/prd":      {`no folder "clouds/prd"`, `"clouds/prod", "clouds/production"`},
		"cloud/prod":      {`no folder "cloud/prod"`, `"clouds"`},
		"file":            {`"file" is a file, not a folder`},
		"file/below":      {`"file" is a file, not a folder`},
		"clouds/link":     {`"clouds/link" is a symbolic link`},
		"clouds/prod/new": {`no folder "clouds/prod/new"`, "there are no folders there"},
	} {
		r := newRepo(t, Config{URL: g.Dir, Path: path})
		wantError(t, fetchError(t, r), ErrNotFound, append(words, "source.path")...)
	}
}

func TestPathAppearsAndGoes(t *testing.T) {
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		g.Commit("first", "prod/a.yaml", "1")
		cfg.Path = "prod/"
		r := newRepo(t, cfg)
		mustFetch(t, r)
		g.Git("mv", "prod", "production")
		g.Commit("renamed")
		for range 2 {
			wantError(t, fetchError(t, r), ErrNotFound, `no folder "prod"`, `"production"`)
		}
		g.Git("mv", "production", "prod")
		back := g.Commit("back")
		if rev, changed := mustFetch(t, r); !changed || rev.Commit != back {
			t.Errorf("changed=%v commit=%s", changed, rev.Commit)
		}
	})
}

func TestEmptyRepository(t *testing.T) {
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		r := newRepo(t, cfg)
		wantError(t, fetchError(t, r), ErrNotFound, "the repository is empty", `branch "main"`)
		first := g.Commit("first", "a.yaml", "1")
		if rev, changed := mustFetch(t, r); !changed || rev.Commit != first {
			t.Errorf("changed=%v commit=%s", changed, rev.Commit)
		}
	})
}

func TestRepositoryMissing(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	plain := t.TempDir()
	server := serveSSH(t, g)
	ssh := server.config()
	ssh.URL += "-not"
	for name, cfg := range map[string]Config{
		"http":         {URL: serveHTTP(t, g).url() + "-not"},
		"ssh":          ssh,
		"local":        {URL: g.Dir + "-not"},
		"plain folder": {URL: plain},
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, fetchError(t, newRepo(t, cfg)), ErrNotFound, "source.url")
		})
	}
}

func TestHTTPAnswers(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	w := serveHTTP(t, g)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		class  error
		words  []string
	}{
		"login page": {func(rw http.ResponseWriter, _ *http.Request) { rw.Write([]byte("<html>sign in")) }, ErrConfig, []string{"text/html", "git clone"}},
		"500":        {func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, "broken\nmore", 500) }, ErrUnavailable, []string{"500", "(broken)"}},
		"503":        {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(503) }, ErrUnavailable, []string{"503"}},
		"429":        {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(429) }, ErrUnavailable, []string{"429"}},
		"limited": {func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Retry-After", "60")
			rw.WriteHeader(403)
		}, ErrUnavailable, []string{"403"}},
		"403": {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(403) }, ErrCredentials, []string{"403", "tokenFile"}},
		"404": {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(404) }, ErrNotFound, []string{"404", "no such repository"}},
		"418": {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(418) }, ErrConfig, []string{"418"}},
		"garbage": {func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			rw.Write([]byte("ffe0" + strings.Repeat("z", 0xffe0)))
		}, ErrUnavailable, nil},
		"says no": {func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			rw.Write([]byte("001e# service=git-upload-pack\n0000001dERR Repository not found."))
		}, ErrNotFound, []string{"(Repository not found.)"}},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, ErrUnavailable, nil},
		"endless references": {func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			line := []byte("fff0" + strings.Repeat("0", 39) + "1 refs/heads/" + strings.Repeat("x", 0xfff0-4-41-12) + "\n")
			rw.Write([]byte("0042" + strings.Repeat("0", 39) + "1 refs/heads/a\x00shallow\n"))
			for range maxRefsBytes/len(line) + 2 {
				rw.Write(line)
			}
		}, ErrContent, []string{"larger"}},
	} {
		t.Run(name, func(t *testing.T) {
			w.answer(c.answer)
			err := fetchError(t, newRepo(t, Config{URL: w.url()}))
			wantError(t, err, c.class, c.words...)
			if len(err.Error()) > 1000 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
		})
	}
}

func TestServerAwayAndBack(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	w := serveHTTP(t, g)
	r := newRepo(t, Config{URL: w.url(), Branch: "main"})
	if _, ok := r.Last(); ok {
		t.Error("there is a last revision before the first fetch")
	}
	mustFetch(t, r)
	second := g.Commit("second", "a.yaml", "2")
	w.answer(func(rw http.ResponseWriter, req *http.Request) { panic(http.ErrAbortHandler) })
	wantError(t, fetchError(t, r), ErrUnavailable)
	if last, ok := r.Last(); !ok || readFile(t, last, "a.yaml") != "1" {
		t.Error("the last revision does not serve while the server is away")
	}
	w.answer(nil)
	if rev, changed := mustFetch(t, r); !changed || rev.Commit != second {
		t.Errorf("changed=%v commit=%s", changed, rev.Commit)
	}
}

// TestWaitingForAnotherFetch checks that a fetch waits for another one, and returns an error when
// its own context ends.
func TestWaitingForAnotherFetch(t *testing.T) {
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	w := serveHTTP(t, g)
	arrived, release := make(chan struct{}), make(chan struct{})
	w.answer(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
		panic(http.ErrAbortHandler)
	})
	r := newRepo(t, Config{URL: w.url()})
	done := make(chan error)
	go func() {
		_, _, err := r.Fetch(t.Context())
		done <- err
	}()
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.At(ctx, "main")
	wantError(t, err, ErrUnavailable)
	close(release)
	wantError(t, <-done, ErrUnavailable)
}

func TestContextEnds(t *testing.T) {
	eachWay(t, func(t *testing.T, g *gittest.Repo, cfg Config) {
		g.Commit("first", "a.yaml", "1")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, err := newRepo(t, cfg).Fetch(ctx)
		wantError(t, err, ErrUnavailable)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%q is not context.Canceled", err)
		}
	})
}
