package forgetest

import (
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func (g *GitLab) bare() string { return filepath.Join(g.dir, "project.git") }

// git runs git on the project's repository.
func (g *GitLab) git(args ...string) string {
	g.t.Helper()
	return g.gitWith(nil, args...)
}

func (g *GitLab) gitWith(env []string, args ...string) string {
	g.t.Helper()
	out, err := g.tryGit(env, args...)
	if err != nil {
		g.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

func (g *GitLab) tryGit(env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(g.ctx(), "git", args...)
	cmd.Dir, cmd.Env = g.bare(), append(append(gitEnv(g.dir), "GIT_DIR="+g.bare(), "GIT_AUTHOR_NAME="+Maintainer, "GIT_AUTHOR_EMAIL="+Maintainer+"@example.org",
		"GIT_COMMITTER_NAME="+Maintainer, "GIT_COMMITTER_EMAIL="+Maintainer+"@example.org"), env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (g *GitLab) makeRepository() {
	if err := os.MkdirAll(g.bare(), 0o755); err != nil {
		g.t.Fatal(err)
	}
	g.git("init", "-q", "--bare", "-b", g.Branch(), g.bare())
	tree := g.git("write-tree")
	g.git("update-ref", "refs/heads/"+g.Branch(), g.git("commit-tree", "-m", "Begin", tree))
}

// commit makes a commit on top of a ref, with changed files.
func (g *GitLab) commit(on string, files map[string]string) string {
	g.t.Helper()
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(g.t.TempDir(), "index"), "GIT_WORK_TREE=" + g.t.TempDir()}
	g.gitWith(index, "read-tree", on)
	for name, text := range files {
		if text == "" {
			g.gitWith(index, "update-index", "--force-remove", name)
			continue
		}
		file := filepath.Join(g.t.TempDir(), "file")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			g.t.Fatal(err)
		}
		g.gitWith(index, "update-index", "--add", "--cacheinfo", "100644,"+g.git("hash-object", "-w", file)+","+name)
	}
	return g.git("commit-tree", "-p", on, "-m", "Change", g.gitWith(index, "write-tree"))
}

// tree merges two commits, and returns the tree of the result.
func (g *GitLab) tree(ours, theirs string) string {
	g.t.Helper()
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(g.t.TempDir(), "index"), "GIT_WORK_TREE=" + g.t.TempDir()}
	base := g.git("merge-base", ours, theirs)
	g.gitWith(index, "read-tree", "-i", "-m", "--aggressive", base, ours, theirs)
	return g.gitWith(index, "write-tree")
}

// Push implements [Hands].
func (g *GitLab) Push(t *testing.T, branch string, files map[string]string) string {
	t.Helper()
	on := "refs/heads/" + branch
	if _, err := g.tryGit(nil, "rev-parse", "--verify", "-q", on); err != nil {
		on = "refs/heads/" + g.Branch()
	}
	return g.pushed(branch, g.commit(g.git("rev-parse", on), files))
}

// Rewrite implements [Hands].
func (g *GitLab) Rewrite(t *testing.T, branch string, files map[string]string) string {
	t.Helper()
	return g.pushed(branch, g.commit(g.git("rev-parse", "refs/heads/"+g.Branch()), files))
}

// pushed moves a branch to a commit, and updates the heads of its merge requests.
func (g *GitLab) pushed(branch, commit string) string {
	before, _ := g.tryGit(nil, "rev-parse", "--verify", "-q", "refs/heads/"+branch) // "" for a new branch
	g.git("update-ref", "refs/heads/"+branch, commit)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.notifyPush(branch, before, commit)
	for _, m := range g.merges {
		if m.source == branch && !m.fork && m.state == "opened" {
			m.head, m.updated = commit, g.tick()
			g.git("update-ref", "refs/merge-requests/"+itoa(m.iid)+"/head", commit)
			g.notifyMerge(m, "update")
		}
	}
	return commit
}

// serveGit serves the repository over HTTP; anybody may read it.
func (g *GitLab) serveGit(w http.ResponseWriter, r *http.Request) {
	_, rest, _ := strings.Cut(r.URL.Path, ".git/")
	handler := &cgi.Handler{
		Path: filepath.Join(g.git("--exec-path"), "git-http-backend"), Stderr: testLog{g.t},
		Env: append(gitEnv(g.dir), "GIT_PROJECT_ROOT="+g.dir, "GIT_HTTP_EXPORT_ALL=1", "PATH_INFO=/project.git/"+rest),
	}
	handler.ServeHTTP(w, r)
}
