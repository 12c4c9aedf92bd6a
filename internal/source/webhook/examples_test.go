package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitHubsExamples sends all examples of messages that GitHub publishes. It is skipped unless
// STACKREEVE_TEST_FORGE is set.
func TestGitHubsExamples(t *testing.T) {
	if os.Getenv("STACKREEVE_TEST_FORGE") == "" {
		t.Skip("STACKREEVE_TEST_FORGE is not set")
	}
	counted := map[Kind]int{}
	for _, group := range githubsExamples(t) {
		for n, example := range group.Examples {
			for _, body := range [][]byte{example, onPull(t, group.Name, example)} {
				if body == nil {
					continue
				}
				i := newInbox(t)
				code, words := i.send(message(GitHub, group.Name, string(body)))
				if code/100 != 2 {
					t.Errorf("%s %d is answered %d %s", group.Name, n, code, words)
				}
				var got Kind
				for _, e := range i.events {
					got = e.Kind
					if e.Repository != "Codertocat/Hello-World" || e.Kind != Push && e.Number == 0 {
						t.Errorf("%s %d says %+v", group.Name, n, e)
					}
				}
				if want := kindOf(group.Name, string(body)); got != want {
					t.Errorf("%s %d is taken for %s, want %s", group.Name, n, got, want)
				}
				counted[got]++
			}
		}
	}
	for _, kind := range []Kind{0, Push, Pull, Comment} {
		if counted[kind] == 0 {
			t.Errorf("no %s among %v", kind, counted)
		}
	}
	t.Logf("%v", counted)
}

// onPull changes a comment on an issue to a comment on a pull request, because GitHub's examples
// have none.
func onPull(t *testing.T, name string, example []byte) []byte {
	if name != "issue_comment" {
		return nil
	}
	var body map[string]any
	if err := json.Unmarshal(example, &body); err != nil {
		t.Fatal(err)
	}
	body["issue"].(map[string]any)["pull_request"] = map[string]any{"url": "x"}
	out, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func kindOf(name, body string) Kind {
	switch {
	case name == "push" && strings.Contains(body, `"ref": "refs/heads/`):
		return Push
	case name == "pull_request":
		return Pull
	case name == "issue_comment" && strings.Contains(body, `"pull_request":{"url":"x"}`):
		return Comment
	}
	return 0
}

type exampleGroup struct {
	Name     string            `json:"name"`
	Examples []json.RawMessage `json:"examples"`
}

// githubsExamples installs the examples once for this machine.
func githubsExamples(t *testing.T) (groups []exampleGroup) {
	t.Helper()
	cache := os.Getenv("STACKREEVE_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(dir, "stackreeve")
	}
	locked, err := os.ReadFile("testdata/octokit/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(locked)
	home := filepath.Join(cache, "webhook-examples-"+hex.EncodeToString(sum[:6]))
	index := filepath.Join(home, "node_modules", "@octokit", "webhooks-examples", "api.github.com", "index.json")
	if _, err := os.Stat(index); err != nil {
		install(t, cache, home)
	}
	text, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

func install(t *testing.T, cache, home string) {
	t.Helper()
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(cache, "webhook-examples-") //nolint:usetesting // the folder has to be on the file system of the cache
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	if err := os.CopyFS(fresh, os.DirFS("testdata/octokit")); err != nil {
		t.Fatal(err)
	}
	// With --ignore-scripts, npm runs no code of a package during the installation.
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	if err := os.Rename(fresh, home); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
}
