package forgetest

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// These are the ways to merge a pull request.
const (
	MergeCommit = "merge"
	Squash      = "squash"
	Rebase      = "rebase"
	RebaseMerge = "rebase-merge"
	FastForward = "fast-forward-only"
)

// Push implements [Hands]. It returns when the pull requests of the branch have the commit as their
// head.
func (g *Gitea) Push(t *testing.T, branch string, files map[string]string) (commit string) {
	t.Helper()
	return g.push(t, branch, files, false)
}

// Rewrite implements [Hands]. It returns when the pull requests of the branch have the commit as
// their head.
func (g *Gitea) Rewrite(t *testing.T, branch string, files map[string]string) (commit string) {
	t.Helper()
	return g.push(t, branch, files, true)
}

func (g *Gitea) push(t *testing.T, branch string, files map[string]string, fresh bool) (commit string) {
	t.Helper()
	commit = g.commit(t, Maintainer, g.Repository, branch, files, fresh)
	Wait(t, "the pull requests of "+branch, func() bool {
		return !slices.ContainsFunc(g.pulls(t), func(p giteaPull) bool {
			return p.Head.Ref == branch && p.Head.RepoID == p.Base.RepoID && p.Head.SHA != commit
		})
	})
	return commit
}

// giteaPull has the fields of a pull request that these actions read.
type giteaPull struct {
	Number         int
	State          string
	MergeCommitSHA string `json:"merge_commit_sha"`
	Head, Base     struct {
		Ref, SHA string
		RepoID   int64 `json:"repo_id"`
	}
}

func (g *Gitea) pulls(t *testing.T) (list []giteaPull) {
	t.Helper()
	g.call(t, giteaAdmin, "GET", "/repos/"+g.Repository+"/pulls?state=open&limit=50", nil, &list)
	return list
}

// commit pushes files to a branch of a repository. A person pushes them.
func (g *Gitea) commit(t *testing.T, login, repository, branch string, files map[string]string, fresh bool) string {
	t.Helper()
	dir := g.prepare(t, login, repository, branch, files, fresh)
	g.git(t, dir, "push", "-q", "--force", "origin", "HEAD:refs/heads/"+branch)
	return g.git(t, dir, "rev-parse", "HEAD")
}

// prepare commits files in a person's clone.
func (g *Gitea) prepare(t *testing.T, login, repository, branch string, files map[string]string, fresh bool) (dir string) {
	t.Helper()
	dir = filepath.Join(g.server.dir, "clones", login, filepath.FromSlash(repository))
	if _, err := os.Stat(dir); err != nil {
		g.git(t, g.server.dir, "clone", "-q", g.remoteAs(login, repository), dir)
		g.git(t, dir, "config", "user.name", login)
		g.git(t, dir, "config", "user.email", login+"@example.org")
	}
	g.git(t, dir, "fetch", "-q", "--prune", "origin")
	from := "origin/" + branch
	if fresh || g.git(t, dir, "for-each-ref", "refs/remotes/"+from) == "" {
		from = "origin/" + g.Branch()
	}
	g.git(t, dir, "checkout", "-q", "--force", "-B", branch, from)
	writeFiles(t, dir, files)
	g.git(t, dir, "add", "-A")
	names := slices.Sorted(maps.Keys(files))
	g.git(t, dir, "commit", "-q", "--allow-empty", "-m", "Change "+strings.Join(names, ", "))
	return dir
}

// PushForReview opens a pull request without a branch or a fork, by a push to refs/for/. Everybody
// who can read the repository may do that.
func (g *Gitea) PushForReview(t *testing.T, login, topic string, files map[string]string) (number int) {
	t.Helper()
	g.person(t, login, "all")
	dir := g.prepare(t, login, g.Repository, topic, files, false)
	g.git(t, dir, "push", "-q", "origin", "HEAD:refs/for/"+g.Branch()+"/"+topic, "-o", "title="+topic)
	commit := g.git(t, dir, "rev-parse", "HEAD")
	list := g.pulls(t)
	i := slices.IndexFunc(list, func(p giteaPull) bool { return p.Head.SHA == commit })
	if i < 0 {
		t.Fatalf("there is no pull request of %s", commit)
	}
	return list[i].Number
}

// DeleteBranch deletes a branch.
func (g *Gitea) DeleteBranch(t *testing.T, branch string) {
	t.Helper()
	g.call(t, Maintainer, "DELETE", "/repos/"+g.Repository+"/branches/"+url.PathEscape(branch), nil, nil)
}

func writeFiles(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if text == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (g *Gitea) git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, gitEnv(g.server.dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out))
}

// OpenPull implements [Hands].
func (g *Gitea) OpenPull(t *testing.T, branch, base, title string) (number int) {
	t.Helper()
	return g.open(t, Maintainer, branch, base, title)
}

func (g *Gitea) open(t *testing.T, login, head, base, title string) int {
	t.Helper()
	var p giteaPull
	g.call(t, login, "POST", "/repos/"+g.Repository+"/pulls", object{"head": head, "base": base, "title": title}, &p)
	return p.Number
}

// Close implements [Hands].
func (g *Gitea) Close(t *testing.T, number int) {
	t.Helper()
	g.setState(t, number, "closed")
}

// Reopen opens a closed pull request again.
func (g *Gitea) Reopen(t *testing.T, number int) {
	t.Helper()
	g.setState(t, number, "open")
}

func (g *Gitea) setState(t *testing.T, number int, state string) {
	t.Helper()
	g.call(t, Maintainer, "PATCH", fmt.Sprintf("/repos/%s/pulls/%d", g.Repository, number), object{"state": state}, nil)
}

// Merge implements [Hands].
func (g *Gitea) Merge(t *testing.T, number int) (commit string) {
	t.Helper()
	return g.MergeBy(t, number, MergeCommit)
}

// MergeBy merges a pull request in one of these ways, and returns the new commit of the base.
func (g *Gitea) MergeBy(t *testing.T, number int, way string) (commit string) {
	t.Helper()
	path := fmt.Sprintf("/repos/%s/pulls/%d", g.Repository, number)
	// Gitea refuses the merge until it has checked for conflicts.
	var status int
	var body []byte
	Wait(t, fmt.Sprintf("pull request %d to be merged", number), func() bool {
		status, body = g.send(t, Maintainer, "POST", path+"/merge", object{"Do": way})
		return status/100 == 2 || !strings.Contains(string(body), "try again later")
	})
	if status/100 != 2 {
		t.Fatalf("merge %d: %d: %s", number, status, body)
	}
	var p giteaPull
	g.call(t, Maintainer, "GET", path, nil, &p)
	return p.MergeCommitSHA
}
