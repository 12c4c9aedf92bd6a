package gitlab_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// component contains a work tree of a project whose CI configuration includes the component, and a server with a
// release.
type component struct {
	t             *testing.T
	program, dir  string
	releases, sum string
}

func newComponent(t *testing.T) *component {
	c := &component{t: t, program: os.Getenv("STACKREEVE_TEST_GITLAB_CI"), dir: t.TempDir()}
	if c.program == "" {
		t.Skip("STACKREEVE_TEST_GITLAB_CI does not name gitlab-ci-local; .ci/gitlab installs it")
	}
	archive, err := release()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(archive)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1.2.3/stackreeve_1.2.3_linux_amd64.tar.gz" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(archive) // the client may have disconnected
	}))
	t.Cleanup(server.Close)
	c.releases, c.sum = server.URL, hex.EncodeToString(sum[:])
	template, err := os.ReadFile("../../deploy/gitlab/templates/stackreeve.yml")
	if err != nil {
		t.Fatal(err)
	}
	c.write("templates/stackreeve.yml", string(template))
	return c
}

// release builds the program once, and returns an archive like that of a release.
var release = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "stackreeve-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	const name = "stackreeve_1.2.3_linux_amd64"
	if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"go", "build", "-C", "../..", "-o", filepath.Join(dir, name, "stackreeve"), "./cmd/agent"}, {"tar", "-czf", filepath.Join(dir, "archive"), "-C", dir, name},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%v: %w: %s", args, err, out)
		}
	}
	return os.ReadFile(filepath.Join(dir, "archive"))
})

func (c *component) write(name, text string) {
	c.t.Helper()
	file := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c *component) read(name string) string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

// include writes the CI configuration. more contains further inputs.
func (c *component) include(more string) {
	c.write(".gitlab-ci.yml", "include:\n  - local: templates/stackreeve.yml\n    inputs:\n      version: 1.2.3\n      checksum: '"+c.sum+"'\n      releases: "+c.releases+
		"\n      manifests: clouds/prod\n"+more)
}

// run runs gitlab-ci-local in the work tree. It checks the configuration with GitLab's schema, and refuses an
// invalid one.
func (c *component) run(args ...string) (out string, err error) {
	c.t.Helper()
	for _, of := range [][]string{{"init", "-q", "-b", "main"}, {"remote", "add", "origin", "git@gitlab.example.com:acme/cloud.git"}, {"remote", "set-head", "origin", "main"}, {"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "Change"}} {
		cmd := exec.CommandContext(c.t.Context(), "git", of...)
		cmd.Dir = c.dir
		_, _ = cmd.CombinedOutput() // in a second run, most of this is already done
	}
	cmd := exec.CommandContext(c.t.Context(), c.program, append([]string{"--force-shell-executor", "--no-color"}, args...)...)
	cmd.Dir = c.dir
	text, err := cmd.CombinedOutput()
	return string(text), err
}

const network = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: front}\nspec: {resource: {description: ours}}\n"

// merge contains the variables of the pipeline of a merge request.
var merge = []string{"--variable", "CI_PIPELINE_SOURCE=merge_request_event", "--variable", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID=1", "--variable", "CI_MERGE_REQUEST_PROJECT_ID=1", "--variable", "CI_PROJECT_ID=1", "--variable", "CI_MERGE_REQUEST_IID=1"}

// The job of the component writes the report that GitLab shows at lines. It fails if a manifest has a problem.
func TestComponentValidates(t *testing.T) {
	c := newComponent(t)
	c.include("")
	c.write("clouds/prod/net.yaml", strings.ReplaceAll(network, "spec:", "spce:"))
	out, err := c.run(append(merge, "stackreeve-validate")...)
	var found []struct {
		Location struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if wrong := json.Unmarshal([]byte(c.read("gl-code-quality-report.json")), &found); err == nil || wrong != nil || len(found) == 0 || found[0].Location.Path != "clouds/prod/net.yaml" || found[0].Location.Lines.Begin != 4 {
		t.Errorf("%v, %v, %+v:\n%s", err, wrong, found, out)
	}
	c.write("clouds/prod/net.yaml", network)
	if out, err := c.run(append(merge, "stackreeve-validate")...); err != nil || strings.TrimSpace(c.read("gl-code-quality-report.json")) != "[]" {
		t.Errorf("%v:\n%s", err, out)
	}
	c.sum = strings.Repeat("a", 64)
	c.include("")
	if out, err := c.run(append(merge, "stackreeve-validate")...); err == nil {
		t.Errorf("an archive with another checksum was run:\n%s", out)
	}
}

// The plan is that of the merge request, which is fetched with the job's token. Without the input plan, the
// pipeline has no such job. The pipeline of a fork has none either.
func TestComponentPlans(t *testing.T) {
	c := newComponent(t)
	g := forgetest.StartGitLab(t)
	g.Push(t, g.Branch(), map[string]string{"clouds/prod/net.yaml": network})
	head := g.Push(t, "topic", map[string]string{"clouds/prod/more.yaml": strings.ReplaceAll(network, "front", "back")})
	g.OpenPull(t, "topic", g.Branch(), "Topic")
	server, err := simulator.Start(t.Context(), "127.0.0.1:0", simulator.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	c.write("clouds/prod/net.yaml", network)
	clouds := filepath.Join(t.TempDir(), "clouds.yaml")
	if err := os.WriteFile(clouds, server.CloudsYAML(), 0o600); err != nil {
		t.Fatal(err)
	}
	c.write("stackreeve.yaml", "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: prod}\nspec:\n  source: {url: "+g.Remote()+", branch: main, path: clouds/prod, auth: {tokenFile: of-the-agent, username: oauth2}}\n  cloud: demo\n"+
		"  report: {gitlab: {url: "+g.URL+", project: "+g.Project+", tokenFile: of-the-agent}}\n")
	c.include("      config: stackreeve.yaml\n      plan: true\n")
	out, err := c.run(append(merge, "--variable", "CI_JOB_TOKEN=only-in-tests", "--variable", "OS_CLIENT_CONFIG_FILE="+clouds, "stackreeve-plan")...)
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	if plan := c.read("plan.md"); !strings.Contains(plan, g.URL+"/"+g.Project+"/-/blob/"+head+"/clouds/prod/more.yaml#L1") {
		t.Errorf("the plan has no link to the line of the merge request's commit:\n%s", plan)
	}
	if report := c.read("gl-code-quality-report.json"); strings.TrimSpace(report) != "[]" {
		t.Errorf("the report of a plan that deletes nothing: %s", report)
	}
	fork := append(append([]string{}, merge...), "--variable", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID=2")
	if out, err := c.run(append(fork, "--list")...); err != nil || strings.Contains(out, "stackreeve-plan") || !strings.Contains(out, "stackreeve-validate") {
		t.Errorf("the jobs of a fork's pipeline: %v\n%s", err, out)
	}
	c.include("      config: stackreeve.yaml\n")
	if out, err := c.run(append(merge, "--list")...); err != nil || strings.Contains(out, "stackreeve-plan") {
		t.Errorf("the jobs without the input: %v\n%s", err, out)
	}
}

// The job in the documentation also conforms to GitLab's schema.
func TestDocumentedJob(t *testing.T) {
	c := newComponent(t)
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	_, job, found := strings.Cut(string(page), "```yaml\nstackreeve-validate:\n")
	job, _, ended := strings.Cut(job, "```\n")
	if !found || !ended {
		t.Fatal("docs/ci.md shows no job")
	}
	c.write(".gitlab-ci.yml", "stackreeve-validate:\n"+job)
	if out, err := c.run(append(merge, "--list")...); err != nil || !strings.Contains(out, "stackreeve-validate") {
		t.Errorf("%v:\n%s", err, out)
	}
	c.write(".gitlab-ci.yml", "stackreeve-validate:\n"+strings.Replace(job, "when: always", "when: sometimes", 1))
	if out, err := c.run(append(merge, "--list")...); err == nil {
		t.Errorf("the schema takes a wrong word:\n%s", out)
	}
}
