package gitlab_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
)

// program returns the path of the program in an environment variable.
func program(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skip(variable + " names no program; make test-gitlab sets it")
	}
	return path
}

// output runs a program, which must succeed.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var wrong strings.Builder
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v: %s%s", cmd.Args[1:], err, out, wrong.String())
	}
	return string(out)
}

// made compares the calls that a program has made with want.
func made(t *testing.T, g *forgetest.GitLab, want ...string) {
	t.Helper()
	if got := strings.Join(g.Calls(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the judge made the calls\n%s", got)
	}
}

const glabConfig = `check_update: false
glamour_style: notty
host: gitlab.test
hosts:
  gitlab.test: {api_protocol: http, git_protocol: https, api_host: "%s", token: %s}
`

// TestGlab reviews a merge request with glab, GitLab's own command line.
func TestGlab(t *testing.T) {
	path := program(t, "STACKREEVE_TEST_GLAB")
	g := forgetest.StartGitLab(t)
	head := g.Push(t, "topic", map[string]string{"a.yaml": "a: 1\n"})
	iid := fmt.Sprint(g.OpenPull(t, "topic", g.Branch(), "Topic"))
	g.RunPipeline(head, "topic", "push")
	address, err := url.Parse(g.URL)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.yml"), fmt.Appendf(nil, glabConfig, address.Host, g.Token(forgetest.Bot)), 0o600); err != nil {
		t.Fatal(err)
	}
	glab := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), path, args...)
		cmd.Dir, cmd.Env = dir, []string{"GLAB_CONFIG_DIR=" + dir, "HOME=" + dir, "NO_PROMPT=1", "PATH=" + os.Getenv("PATH")}
		return output(t, cmd)
	}
	project := "https://gitlab.test/" + g.Project
	says := func(what string, got string, want ...string) {
		t.Helper()
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("%s says %q, without %q", what, got, text)
			}
		}
	}
	says("mr list", glab("mr", "list", "-R", project), "!"+iid, "Topic", "(topic)")
	says("mr note", glab("mr", "note", iid, "-m", "hello", "-R", project), "#note_")
	says("mr view", glab("mr", "view", iid, "-R", project), "title:\tTopic", "state:\topen", "comments:\t1", "author:\t"+forgetest.Maintainer)
	says("mr approve", glab("mr", "approve", iid, "-R", project), "Approved")
	says("ci list", glab("ci", "list", "-R", project), "topic")
	says("ci status", glab("ci", "status", "-b", "topic", "-R", project), "SHA: "+head, "Pipeline State: running")
	var list []struct {
		IID, SHA any
	}
	if err := json.Unmarshal([]byte(glab("api", "projects/"+url.PathEscape(g.Project)+"/merge_requests?state=opened", "--hostname", "gitlab.test")), &list); err != nil || len(list) != 1 || list[0].SHA != head {
		t.Errorf("api: %+v, %v", list, err)
	}
	made(t, g,
		"GET projects/*/merge_requests", "GET projects/*/merge_requests/*", "GET projects/*/pipelines", "GET projects/*/pipelines/*/jobs",
		"GET projects/*/repository/commits/*", "POST projects/*/merge_requests/*/approve", "POST projects/*/merge_requests/*/notes",
	)
}
