package forgetest

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// makeRepository makes a bare repository with one commit, and a clone with a work tree.
func (g *GitHub) makeRepository(t testing.TB) {
	t.Helper()
	g.git(t, g.dir, "init", "-q", "--bare", "-b", g.Branch(), g.bare())
	g.git(t, g.bare(), "config", "http.receivepack", "true")
	g.git(t, g.dir, "clone", "-q", g.bare(), g.clone())
	g.git(t, g.clone(), "checkout", "-q", "-B", g.Branch())
	g.git(t, g.clone(), "commit", "-q", "--allow-empty", "-m", "Begin")
	g.git(t, g.clone(), "push", "-q", "origin", g.Branch())
}

func (g *GitHub) bare() string {
	return filepath.Join(g.dir, "git", filepath.FromSlash(g.Repository)+".git")
}
func (g *GitHub) clone() string { return filepath.Join(g.dir, "clone") }

func (g *GitHub) git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := g.tryGit(dir, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (g *GitHub) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(g.ctx, "git", args...)
	cmd.Dir, cmd.Env = dir, append(gitEnv(g.dir), "GIT_AUTHOR_NAME="+Maintainer, "GIT_AUTHOR_EMAIL="+Maintainer+"@example.org",
		"GIT_COMMITTER_NAME="+Maintainer, "GIT_COMMITTER_EMAIL="+Maintainer+"@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// gitServer returns a handler that serves the repository over HTTP. Anybody may fetch, unless the
// repository is private. People push with their token as the password.
func (g *GitHub) gitServer() http.Handler {
	backend := filepath.Join(strings.TrimSpace(g.git(g.t, g.dir, "--exec-path")), "git-http-backend")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, given := r.BasicAuth()
		writing := strings.Contains(r.URL.RawQuery, "git-receive-pack") || strings.HasSuffix(r.URL.Path, "git-receive-pack")
		g.mu.Lock()
		private := g.private
		g.mu.Unlock()
		if login, ok := g.who(password); (given || private) && !ok || writing && (!ok || strings.HasSuffix(login, "[bot]")) {
			w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
			http.Error(w, "Bad credentials", http.StatusUnauthorized)
			return
		}
		before := g.heads()
		handler := &cgi.Handler{
			Path: backend, Stderr: testLog{g.t},
			Env: append(gitEnv(g.dir), "GIT_PROJECT_ROOT="+filepath.Join(g.dir, "git"), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=person"),
		}
		if !writing {
			handler.ServeHTTP(w, r)
			return
		}
		// The push returns only after every part of the forge was informed about it.
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, r)
		g.pushed(before)
		reply{rec.Code, rec.Header(), rec.Body.Bytes()}.write(w)
	})
}

// heads returns the commits of all branches, by reference.
func (g *GitHub) heads() map[string]string {
	out, err := g.tryGit(g.bare(), "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/forks")
	if err != nil {
		g.t.Errorf("%v", err)
	}
	heads := map[string]string{}
	for line := range strings.Lines(out) {
		ref, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		heads[ref] = commit
	}
	return heads
}

// pushed does the work that GitHub does after a push.
func (g *GitHub) pushed(before map[string]string) {
	after := g.heads()
	for ref, commit := range after {
		if before[ref] == commit {
			continue
		}
		if strings.HasPrefix(ref, "refs/heads/") {
			g.notifyPush(ref, before[ref], commit)
		}
		for _, number := range g.movePulls(ref, commit) {
			g.notifyPull(number, "synchronize")
		}
	}
}

// movePulls makes a commit the head of the open pull requests of a branch.
func (g *GitHub) movePulls(ref, commit string) (numbers []int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(g.pulls)) {
		if p := g.pulls[number]; p.branch == ref && !p.closed && !p.forkGone && p.head != commit {
			g.moveHead(number, p, commit)
			numbers = append(numbers, number)
		}
	}
	return numbers
}

func (g *GitHub) moveHead(number int, p *githubPull, commit string) {
	p.head, p.tip, p.updated = commit, g.heads()[p.base], time.Now()
	list, err := g.tryGit(g.bare(), "rev-list", p.tip+".."+commit)
	if err == nil {
		_, err = g.tryGit(g.bare(), "update-ref", fmt.Sprintf("refs/pull/%d/head", number), commit)
	}
	if err != nil {
		g.t.Errorf("%v", err)
	}
	p.commits = map[string]bool{}
	for line := range strings.Lines(list) {
		p.commits[strings.TrimSpace(line)] = true
	}
}

// Push implements [Hands].
func (g *GitHub) Push(t *testing.T, branch string, files map[string]string) (commit string) {
	t.Helper()
	return g.push(t, "refs/heads/"+branch, files, false)
}

// Rewrite implements [Hands].
func (g *GitHub) Rewrite(t *testing.T, branch string, files map[string]string) (commit string) {
	t.Helper()
	return g.push(t, "refs/heads/"+branch, files, true)
}

func (g *GitHub) push(t *testing.T, ref string, files map[string]string, fresh bool) (commit string) {
	t.Helper()
	heads := g.heads()
	from := heads[ref]
	if fresh || from == "" {
		from = heads["refs/heads/"+g.Branch()]
	}
	g.git(t, g.clone(), "fetch", "-q", "origin", from)
	g.git(t, g.clone(), "checkout", "-q", "--force", "--detach", from)
	g.git(t, g.clone(), "clean", "-qfd")
	writeFiles(t, g.clone(), files)
	g.git(t, g.clone(), "add", "-A")
	g.git(t, g.clone(), "commit", "-q", "--allow-empty", "-m", "Change "+strings.Join(slices.Sorted(maps.Keys(files)), ", "))
	return g.send(t, ref)
}

// send pushes the checked-out commit over HTTP.
func (g *GitHub) send(t testing.TB, ref string) (commit string) {
	t.Helper()
	remote := strings.Replace(g.Remote(), "://", "://"+Maintainer+":"+g.Token(Maintainer)+"@", 1)
	g.git(t, g.clone(), "push", "-q", "--force", remote, "HEAD:"+ref)
	return g.git(t, g.clone(), "rev-parse", "HEAD")
}

// mergeGit merges a pull request into its base.
func (g *GitHub) mergeGit(t testing.TB, number int, p githubPull) (commit string) {
	t.Helper()
	g.git(t, g.clone(), "fetch", "-q", "origin", p.base, fmt.Sprintf("refs/pull/%d/head", number))
	g.git(t, g.clone(), "checkout", "-q", "--force", "--detach", g.heads()[p.base])
	g.git(t, g.clone(), "merge", "-q", "--no-ff", "-m", fmt.Sprintf("Merge pull request #%d", number), p.head)
	commit = g.git(t, g.clone(), "rev-parse", "HEAD")
	g.mu.Lock()
	g.pulls[number].mergeCommit = commit // set before the hooks are sent
	g.mu.Unlock()
	return g.send(t, p.base)
}

// has reports whether the repository has a commit.
func (g *GitHub) has(commit string) bool {
	_, err := g.tryGit(g.bare(), "cat-file", "-e", commit+"^{commit}")
	return err == nil
}
