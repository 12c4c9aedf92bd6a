package main

import (
	"context"
	"crypto/rand"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// ground is a cloud for tests: a simulator, or the cloud in STACKREEVE_TEST_CLOUD. In a real cloud, it uses a new project if the same
// clouds.yaml has an administrator (NAME-admin, or admin) who can create one.
type ground struct {
	t           *testing.T
	dir, binary string
	stack       string
	client      hands
	proxy       *proxy
	admin       *client
	entry       map[string]any // an entry of clouds.yaml
	simulator   *simulator.Server
	inject      string // the folder for faults of devcloud; "" for another cloud
}

// These are the entries of the clouds.yaml that a ground writes.
const (
	straight = "straight" // directly to the cloud
	proxied  = "proxied"  // through the proxy
)

func newGround(t *testing.T) *ground {
	t.Helper()
	s := &stage{Stage: &servicetest.Stage{T: t, Dir: t.TempDir()}, t: t}
	s.build()
	return newGroundFor(t, s.binary)
}

func newGroundFor(t *testing.T, binary string) *ground {
	t.Helper()
	g := &ground{t: t, dir: t.TempDir(), binary: binary, stack: "e" + strings.ToLower(rand.Text())[:8]}
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
	return g
}

// beside returns a ground for another stack in the same project, with a separate proxy.
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
	g.t.Cleanup(func() { _ = server.Close() }) // the test has ended
	g.simulator, g.entry = server, g.entriesOf(server.CloudsYAML())["demo"]
}

func (g *ground) auth() map[string]any {
	auth, ok := g.entry["auth"].(map[string]any)
	if !ok {
		g.t.Fatal("the entry of clouds.yaml has no auth")
	}
	return maps.Clone(auth)
}

// by returns an entry for a cloud behind a proxy.
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
