// Package gittest makes Git repositories for tests, with real git.
package gittest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Repo is a repository with a work tree, to which a test commits files. Its branch is main.
type Repo struct {
	Dir  string // the folder of the work tree
	date string // the date of every commit, so that two commits of the same content have the same hash
	t    testing.TB
}

// New makes an empty repository that is removed after the test.
func New(t testing.TB) *Repo {
	t.Helper()
	g := &Repo{t: t, Dir: filepath.Join(t.TempDir(), "config"), date: time.Now().Format(time.RFC3339)}
	if err := os.MkdirAll(g.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	g.Git("init", "-q", "-b", "main")
	g.Git("config", "uploadpack.allowReachableSHA1InWant", "true")
	return g
}

// Env returns the environment for git. It excludes the git configuration of the person who runs the
// test.
func Env() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=Ann Author", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Con Committer", "GIT_COMMITTER_EMAIL=con@example.com",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
}

// Command returns the command git with these arguments, which runs in the work tree.
func (g *Repo) Command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = g.Dir, append(Env(), "GIT_AUTHOR_DATE="+g.date, "GIT_COMMITTER_DATE="+g.date)
	return cmd
}

// Git runs git and returns its output. If git fails, the test fails.
func (g *Repo) Git(args ...string) string {
	g.t.Helper()
	out, err := g.Command(args...).CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// GitWith runs git with an input, and returns its standard output. If git fails, the test fails.
func (g *Repo) GitWith(input string, args ...string) string {
	g.t.Helper()
	var words bytes.Buffer
	cmd := g.Command(args...)
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), &words
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatalf("git %s: %v\n%s\n%s", strings.Join(args, " "), err, words.String(), input)
	}
	return string(out)
}

// FirstLine runs git, which may fail, and returns the first line that it printed.
func (g *Repo) FirstLine(args ...string) (string, error) {
	out, err := g.Command(args...).Output()
	first, _, _ := strings.Cut(string(out), "\n")
	return first, err
}

// NeedMergeTree skips the test if git cannot merge without a work tree.
func (g *Repo) NeedMergeTree() {
	g.t.Helper()
	if out, _ := g.Command("merge-tree", "-h").CombinedOutput(); !strings.Contains(string(out), "--write-tree") {
		g.t.Skip("this git is older than 2.38")
	}
}

// FastImport makes the commits that a script for git fast-import describes.
func (g *Repo) FastImport(script string) {
	g.t.Helper()
	g.GitWith(script, "fast-import", "--quiet", "--force")
}

// Write writes a file into the work tree.
func (g *Repo) Write(name, content string) {
	g.t.Helper()
	name = filepath.Join(g.Dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		g.t.Fatal(err)
	}
}

// Commit writes files, given as pairs of name and content, and commits everything in the work tree.
// It returns the commit's hash.
func (g *Repo) Commit(subject string, files ...string) string {
	g.t.Helper()
	for i := 0; i < len(files); i += 2 {
		g.Write(files[i], files[i+1])
	}
	g.Git("add", "-A")
	g.Git("commit", "-q", "--allow-empty", "-m", subject)
	return g.Git("rev-parse", "HEAD")
}
