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
)

// gitRepo is a repository that a test commits to with real git.
type gitRepo struct {
	t   testing.TB
	dir string
}

func newGitRepo(t testing.TB) *gitRepo {
	t.Helper()
	g := &gitRepo{t: t, dir: filepath.Join(t.TempDir(), "config")}
	if err := os.MkdirAll(g.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	g.git("init", "-q", "-b", "main")
	g.git("config", "uploadpack.allowReachableSHA1InWant", "true")
	return g
}

func (g *gitRepo) git(args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = g.dir
	cmd.Env = gitEnv()
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func gitEnv() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=Ann Author", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Con Committer", "GIT_COMMITTER_EMAIL=con@example.com",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
}

func (g *gitRepo) write(name, content string) {
	g.t.Helper()
	name = filepath.Join(g.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

// commit writes files of name, content pairs and commits them.
func (g *gitRepo) commit(subject string, files ...string) string {
	g.t.Helper()
	for i := 0; i < len(files); i += 2 {
		g.write(files[i], files[i+1])
	}
	g.git("add", "-A")
	g.git("commit", "-q", "--allow-empty", "-m", subject)
	return g.git("rev-parse", "HEAD")
}

// webServer is real git behind http, and counts what it is asked.
type webServer struct {
	*httptest.Server
	requests atomic.Int64
	packs    atomic.Int64
	login    atomic.Pointer[string] // user:password, when set
	handler  atomic.Pointer[http.Handler]
}

func serveHTTP(t testing.TB, g *gitRepo) *webServer {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Root: "/",
		Env:  append(gitEnv(), "GIT_PROJECT_ROOT="+filepath.Dir(g.dir), "GIT_HTTP_EXPORT_ALL=1"),
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

// answer makes the server answer in another way; nil restores git.
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

// fastImport makes commits of a script.
func (g *gitRepo) fastImport(script string) {
	g.t.Helper()
	cmd := exec.Command("git", "fast-import", "--quiet", "--force")
	cmd.Dir, cmd.Stdin, cmd.Env = g.dir, strings.NewReader(script), gitEnv()
	if out, err := cmd.CombinedOutput(); err != nil {
		g.t.Fatalf("%v: %s", err, out)
	}
}

// tryGit is git where it may fail.
func tryGit(g *gitRepo, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = g.dir, gitEnv()
	out, err := cmd.Output()
	first, _, _ := strings.Cut(string(out), "\n")
	return first, err
}
