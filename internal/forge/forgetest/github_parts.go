package forgetest

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

//go:embed github
var githubFiles embed.FS

// installGitHub installs emulate and Prism once for this machine, and returns the folder. It needs
// npm, of any version.
func installGitHub(t testing.TB) string {
	t.Helper()
	cache, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := githubFiles.ReadDir("github")
	if err != nil {
		t.Fatal(err)
	}
	files, sum := map[string][]byte{}, sha256.New()
	for _, e := range entries {
		text, err := githubFiles.ReadFile("github/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = text
		_, _ = sum.Write(text)
	}
	home := filepath.Join(cache, "github-"+hex.EncodeToString(sum.Sum(nil)[:6]))
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(filepath.Join(home, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	description := filepath.Join(home, "description.json")
	if _, err := os.Stat(description); err == nil {
		return home
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(home, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// With --ignore-scripts, npm runs no code of a package during the installation.
	runIn(t, home, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	generated := filepath.Join(home, "node_modules", "@octokit", "openapi", "generated")
	runIn(t, home, node(home), "describe.mjs", filepath.Join(generated, "api.github.com.json"), description+".new")
	if err := os.RemoveAll(generated); err != nil { // 380 MB
		t.Fatal(err)
	}
	if err := os.Rename(description+".new", description); err != nil {
		t.Fatal(err)
	}
	return home
}

// node returns the path of Node.js. It is the one that was installed here, because Prism needs a
// newer version than many machines have. If there is none for this platform, it is the machine's
// own Node.js.
func node(home string) string {
	found, err := filepath.Glob(filepath.Join(home, "node_modules", "node-*", "bin", "node"))
	if err != nil || len(found) == 0 {
		return "node"
	}
	return found[0]
}

func runIn(t testing.TB, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, args[0], err, out)
	}
}

// startParts starts emulate and Prism, and returns the App's key. Both end when their standard
// input ends, so they also end if this process is killed.
func (g *GitHub) startParts(t testing.TB) (key string) {
	t.Helper()
	home := installGitHub(t)
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(g.ctx, node(home), "serve.mjs", strconv.Itoa(port), g.front.URL, g.inside.URL, "description.json")
	cmd.Dir, cmd.Stderr = home, testLog{t}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start node: %v", err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // the process ends when its input is closed
	})
	stuck := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer stuck.Stop()
	if err := json.NewEncoder(in).Encode(g.seed()); err != nil {
		t.Fatal(err)
	}
	var said struct {
		Judge string
		Keys  []string
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	if err != nil || len(said.Keys) != 1 {
		t.Fatalf("emulate and Prism did not start: %v: %s", err, line)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	g.hub = fmt.Sprintf("http://127.0.0.1:%d", port)
	g.mu.Lock()
	g.judge = said.Judge
	g.mu.Unlock()
	return said.Keys[0]
}

// seed returns the initial data of emulate.
func (g *GitHub) seed() object {
	tokens, users := object{}, []object{}
	for _, login := range githubPeople {
		tokens[g.tokens[login]] = object{"login": login, "scopes": []string{"repo", "user"}}
		users = append(users, object{"login": login, "email": login + "@example.org"})
	}
	permissions := map[string]string{"contents": "read", "pull_requests": "write", "issues": "write", "checks": "write", "statuses": "write", "metadata": "read"}
	return object{"tokens": tokens, "github": object{
		"users": users,
		"orgs":  []object{{"login": "acme", "members": []object{{"login": Maintainer, "role": "admin"}}}},
		"repos": []object{{"owner": "acme", "name": "cloud-config"}},
		"apps": []object{{
			"app_id": githubAppID, "slug": "stackreeve", "name": "Stackreeve", "permissions": permissions, "events": []string{},
			"installations": []object{{"installation_id": githubInstallation, "account": "acme", "repository_selection": "all"}},
		}},
	}}
}

// testLog writes to the log of a test.
type testLog struct{ t testing.TB }

// Write implements [io.Writer].
func (l testLog) Write(p []byte) (int, error) {
	l.t.Logf("%s", p)
	return len(p), nil
}
