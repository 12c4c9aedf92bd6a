// Package servicetest sets up the surroundings in which agents are tested from outside: a simulated cloud, a repository of manifests, and a
// configuration that names both. It does not depend on the program under test.
package servicetest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// Stage is a simulator and a Git folder of manifests of the stack `killed`.
type Stage struct {
	T      testing.TB
	Dir    string
	Server *simulator.Server
}

// New returns a stage that lasts until the test ends.
func New(t testing.TB, options simulator.Options) *Stage {
	t.Helper()
	s := &Stage{T: t, Dir: t.TempDir()}
	var err error
	if s.Server, err = simulator.Start(context.WithoutCancel(t.Context()), "127.0.0.1:0", options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Server.Close() }) // an error does not matter, because the test is over
	s.Write("clouds.yaml", string(s.Server.CloudsYAML()))
	s.Write("stackreeve.yaml", `apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: killed}
spec:
  source: {url: `+s.Path("repo")+`, branch: main}
  cloud: demo
  defaults:
    network: private
    vipNetworks: {private: private}
    regions: {tokyo1: RegionOne}
    zones: {dev: az-a}
    serviceTypes: {generic: ""}
`)
	return s
}

// Path returns the path of a file of the stage.
func (s *Stage) Path(name string) string { return filepath.Join(s.Dir, name) }

// Write writes a file, and creates its folders.
func (s *Stage) Write(name, content string) {
	s.T.Helper()
	if err := os.MkdirAll(filepath.Dir(s.Path(name)), 0o755); err != nil {
		s.T.Fatal(err)
	}
	if err := os.WriteFile(s.Path(name), []byte(content), 0o600); err != nil {
		s.T.Fatal(err)
	}
}

// Commit commits the manifests, in repo, with the real git.
func (s *Stage) Commit() {
	s.T.Helper()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "manifests"}} {
		cmd := exec.CommandContext(s.T.Context(), "git", args...)
		cmd.Dir = s.Path("repo")
		if out, err := cmd.CombinedOutput(); err != nil {
			s.T.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// Count returns the number of objects in a list of the cloud, no matter who made them. Octavia's own ports do not count.
func (s *Stage) Count(service, path, field string) int {
	s.T.Helper()
	c, err := cloud.Open(s.T.Context(), cloud.Config{Cloud: "demo", File: s.Path("clouds.yaml"), Version: "test"})
	if err != nil {
		s.T.Fatal(err)
	}
	list, err := cloud.List[struct {
		DeviceOwner string `json:"device_owner"`
	}](s.T.Context(), c, cloud.Call{Service: service, Method: http.MethodGet, Path: path}, field)
	if err != nil {
		s.T.Fatal(err)
	}
	n := 0
	for _, item := range list {
		if item.DeviceOwner != "Octavia" {
			n++
		}
	}
	return n
}

// Record stores the output of a process.
type Record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (r *Record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

// String returns the whole output.
func (r *Record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// NetworkNamed returns the manifest of a network.
func NetworkNamed(name, description string) string {
	return fmt.Sprintf("---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: %s}\nspec: {resource: {description: %q}}\n", name, description)
}
