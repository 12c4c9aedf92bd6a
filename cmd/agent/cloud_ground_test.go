package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/stackreeve/stackreeve/internal/cloud/simulator"
)

// ground is a cloud to run the program on: a simulator, or the one that
// STACKREEVE_TEST_CLOUD names. There it is a project of its own, if the same
// clouds.yaml has an administrator (NAME-admin, or admin) to make one.
type ground struct {
	t           *testing.T
	dir, binary string
	stack       string
	client      hands
	proxy       *proxy
	admin       *client
	entry       map[string]any // of clouds.yaml
	simulator   *simulator.Server
	inject      string // devcloud's folder of faults; "" for another cloud
}

// entries of the clouds.yaml that a ground writes.
const (
	straight = "straight" // to the cloud
	proxied  = "proxied"  // through the proxy
)

func newGround(t *testing.T) *ground {
	t.Helper()
	g := &ground{t: t, dir: t.TempDir(), stack: "e" + strings.ToLower(rand.Text())[:8]}
	name := os.Getenv("STACKREEVE_TEST_CLOUD")
	if name == "" {
		g.simulate()
	} else {
		g.findCloud(name)
	}
	g.writeClouds(map[string]any{straight: g.entry})
	if _, err := findClient(); err != nil && g.simulator != nil {
		g.client = newStandin(t, g.simulator.URL)
	} else {
		g.client = newClient(t, g.path("clouds.yaml"), straight)
	}
	g.proxy = newProxy(t, g.places(), false)
	g.writeClouds(map[string]any{straight: g.entry, proxied: g.by(g.proxy)})
	g.configure()
	g.build()
	return g
}

// beside is another stack in the same project, behind a proxy of its own.
func (g *ground) beside(t *testing.T) *ground {
	t.Helper()
	other := *g
	other.t, other.dir, other.stack = t, t.TempDir(), "e"+strings.ToLower(rand.Text())[:8]
	other.proxy = newProxy(t, g.proxy.places, false)
	other.writeClouds(map[string]any{straight: g.entry, proxied: other.by(other.proxy)})
	other.configure()
	return &other
}

func (g *ground) simulate() {
	server, err := simulator.Start(context.WithoutCancel(g.t.Context()), "127.0.0.1:0", simulator.Options{BuildDelay: 20 * time.Millisecond, PendingDelay: 20 * time.Millisecond})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = server.Close() }) // the test is over
	g.simulator, g.entry = server, g.entriesOf(server.CloudsYAML())["demo"]
}

// findCloud takes the entry of a real cloud, and makes a project in it.
func (g *ground) findCloud(name string) {
	file := os.Getenv("OS_CLIENT_CONFIG_FILE")
	if file == "" {
		g.t.Fatal("OS_CLIENT_CONFIG_FILE must name the clouds.yaml that has the entry ", name)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		g.t.Fatal(err)
	}
	entries := g.entriesOf(text)
	if g.entry = entries[name]; g.entry == nil {
		g.t.Fatalf("%s has no entry %s", file, name)
	}
	if inject := filepath.Join(filepath.Dir(file), "inject"); exists(inject) {
		g.inject = inject
	}
	for _, admin := range []string{name + "-admin", "admin"} {
		if entries[admin] != nil {
			g.makeProject(file, admin)
			return
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// makeProject makes a project with a network "private", to be gone at the end.
func (g *ground) makeProject(file, admin string) {
	name := "e2e-" + strings.ToLower(rand.Text())[:6]
	g.admin = newClient(g.t, file, admin)
	project := g.must(g.admin.one("project", "create", name)).text("id")
	g.dropAtEnd(project)
	auth := g.auth()
	user, _ := auth["username"].(string)
	for _, role := range []string{"member", "load-balancer_member"} {
		g.mustDo(g.admin, "role", "add", "--project", project, "--user", user, role)
	}
	delete(auth, "project_id")
	auth["project_name"] = name
	g.entry = maps.Clone(g.entry)
	g.entry["auth"] = auth
	g.writeClouds(map[string]any{straight: g.entry})
	own := newClient(g.t, g.path("clouds.yaml"), straight)
	network := g.must(own.one("network", "create", "private")).text("id")
	g.t.Cleanup(func() { g.mustDo(own, "network", "delete", network) })
	g.must(own.one("subnet", "create", "--network", network, "--subnet-range", "10.9.0.0/24", "private-subnet"))
}

// dropAtEnd deletes a project and the security group that each has.
func (g *ground) dropAtEnd(project string) {
	g.t.Cleanup(func() {
		list, err := g.admin.list("security", "group", "list", "--project", project)
		g.must(nil, err)
		for _, group := range list {
			g.mustDo(g.admin, "security", "group", "delete", group.text("id"))
		}
		g.mustDo(g.admin, "project", "delete", project)
	})
}

func (g *ground) auth() map[string]any {
	auth, ok := g.entry["auth"].(map[string]any)
	if !ok {
		g.t.Fatal("the entry of clouds.yaml has no auth")
	}
	return maps.Clone(auth)
}

// by is the entry for a cloud behind a proxy.
func (g *ground) by(p *proxy) map[string]any {
	entry, auth := maps.Clone(g.entry), g.auth()
	auth["auth_url"] = p.through(auth["auth_url"].(string))
	entry["auth"] = auth
	return entry
}

func (g *ground) entriesOf(text []byte) map[string]map[string]any {
	g.t.Helper()
	var file struct{ Clouds map[string]map[string]any }
	if err := yaml.Unmarshal(text, &file); err != nil {
		g.t.Fatal(err)
	}
	return file.Clouds
}

func (g *ground) writeClouds(entries map[string]any) {
	g.t.Helper()
	g.writeYAML("clouds.yaml", map[string]any{"clouds": entries})
}

func (g *ground) writeYAML(name string, content any) {
	g.t.Helper()
	text, err := yaml.Marshal(content)
	if err != nil {
		g.t.Fatal(err)
	}
	g.write(name, string(text))
}

// places asks the cloud where its services are.
func (g *ground) places() []endpoint {
	g.t.Helper()
	doc, err := g.client.do("catalog", "list", "-f", "json")
	if err != nil {
		g.t.Fatal(err)
	}
	var services []struct {
		Type      string
		Endpoints []struct{ Interface, Region, URL string }
	}
	if err := yaml.Unmarshal(doc, &services); err != nil {
		g.t.Fatal(err)
	}
	var places []endpoint
	for _, s := range services {
		for _, e := range s.Endpoints {
			at, err := endpointOf(cmp.Or(map[string]string{"volumev3": "block-storage"}[s.Type], s.Type), e.URL)
			if err != nil {
				g.t.Fatal(err)
			}
			places = append(places, at)
		}
	}
	return places
}

func (g *ground) must(o thing, err error) thing {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
	return o
}

func (g *ground) mustDo(c hands, words ...string) {
	g.t.Helper()
	if _, err := c.do(words...); err != nil {
		g.t.Fatal(err)
	}
}

func (g *ground) path(name string) string { return filepath.Join(g.dir, name) }

func (g *ground) write(name, content string) {
	g.t.Helper()
	if err := os.MkdirAll(filepath.Dir(g.path(name)), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(g.path(name), []byte(content), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

func (g *ground) configure() {
	g.t.Helper()
	g.write("stackreeve.yaml", `apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: `+g.stack+`}
spec:
  source: {url: "`+g.path("repo")+`", branch: main}
  cloud: `+proxied+`
  defaults:
    network: private
    vipNetworks: {private: private}
    regions: {tokyo1: RegionOne}
    zones: {dev: az-a}
    serviceTypes: {generic: ""}
`)
}

// build makes the binary as it is shipped.
func (g *ground) build() {
	g.t.Helper()
	g.binary = g.path("stackreeve")
	cmd := exec.CommandContext(g.t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", g.binary, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		g.t.Fatalf("%v\n%s", err, out)
	}
}

// commit makes the repository hold exactly these files.
func (g *ground) commit(files fs.FS) {
	g.t.Helper()
	repo := g.path("repo")
	if !exists(repo) {
		g.git("init", "-q", "-b", "main", repo)
	}
	g.git("-C", repo, "rm", "-rq", "--ignore-unmatch", ".")
	if err := os.CopyFS(repo, files); err != nil {
		g.t.Fatal(err)
	}
	g.git("-C", repo, "add", "-A")
	g.git("-C", repo, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "--allow-empty", "-m", "manifests")
}

func (g *ground) git(args ...string) {
	g.t.Helper()
	if out, err := exec.CommandContext(g.t.Context(), "git", args...).CombinedOutput(); err != nil {
		g.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// ending is how a run of the program ended, and what it said.
type ending struct {
	code int
	said string
	took time.Duration
}

// command is the program with an empty disk.
func (g *ground) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(g.t.Context()), 10*time.Minute)
	g.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, g.binary, append(args, "--config", g.path("stackreeve.yaml"))...)
	cmd.Env = append(plainEnvironment(), "HOME="+g.dir, "OS_CLIENT_CONFIG_FILE="+g.path("clouds.yaml"))
	return cmd
}

func (g *ground) agent(args ...string) ending {
	g.t.Helper()
	return g.finish(g.command(args...))
}

func (g *ground) finish(cmd *exec.Cmd) ending {
	g.t.Helper()
	started := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		g.t.Fatal(err)
	}
	return ending{cmd.ProcessState.ExitCode(), string(out), time.Since(started)}
}

// wants runs the program and wants its exit code, and each of the texts in
// what it says.
func (g *ground) wants(code int, texts []string, args ...string) ending {
	g.t.Helper()
	e := g.agent(args...)
	if e.code != code {
		g.t.Fatalf("%v: exit code %d, want %d:\n%s", args, e.code, code, e.said)
	}
	for _, text := range texts {
		if !strings.Contains(e.said, text) {
			g.t.Errorf("%v: nothing of %q in\n%s", args, text, e.said)
		}
	}
	return e
}
