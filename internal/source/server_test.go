package source

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// webServer is a server with real git behind http. It counts the requests.
type webServer struct {
	*httptest.Server
	requests atomic.Int64
	packs    atomic.Int64
	login    atomic.Pointer[string] // user:password; nil if no login is needed
	handler  atomic.Pointer[http.Handler]
}

func serveHTTP(t testing.TB, g *gittest.Repo) *webServer {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Root: "/",
		Env:  append(gittest.Env(), "GIT_PROJECT_ROOT="+filepath.Dir(g.Dir), "GIT_HTTP_EXPORT_ALL=1"),
	}
	w := &webServer{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		w.requests.Add(1)
		if req.Method == http.MethodPost {
			w.packs.Add(1)
		}
		if h := w.handler.Load(); h != nil {
			(*h).ServeHTTP(rw, req)
			return
		}
		user, password, _ := req.BasicAuth()
		if want := w.login.Load(); want != nil && user+":"+password != *want {
			rw.Header().Set("Content-Type", "text/plain")
			http.Error(rw, "bad login "+req.Header.Get("Authorization")+" "+password, http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(rw, req)
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *webServer) url() string { return w.URL + "/config" }

func (w *webServer) require(login string) { w.login.Store(&login) }

// answer makes the server answer with h; nil restores git.
func (w *webServer) answer(h http.HandlerFunc) {
	if h == nil {
		w.handler.Store(nil)
		return
	}
	var handler http.Handler = h
	w.handler.Store(&handler)
}

func writeFile(t testing.TB, content string) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "file-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(content); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func newRepo(t testing.TB, cfg Config) *Repo {
	t.Helper()
	if cfg.Timeout == 0 {
		cfg.Timeout = time.Minute
	}
	r, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}
