package service

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

const (
	webhookSecret = "only-in-tests-0123456789"
	readToken     = "only-in-tests-of-the-service-0123456789"
)

// stage is a simulator and a folder of manifests in Git.
type stage struct {
	t      testing.TB
	dir    string
	server *simulator.Server
}

func newStage(t testing.TB, options simulator.Options) *stage {
	t.Helper()
	s := &stage{t: t, dir: t.TempDir()}
	var err error
	if s.server, err = simulator.Start(context.WithoutCancel(t.Context()), "127.0.0.1:0", options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.server.Close() }) // the test is over
	s.write("clouds.yaml", string(s.server.CloudsYAML()))
	s.write("stackreeve.yaml", `apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: killed}
spec:
  source: {url: `+s.path("repo")+`, branch: main}
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

func (s *stage) path(name string) string { return filepath.Join(s.dir, name) }

func (s *stage) write(name, content string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// commit records the manifests with the real git.
func (s *stage) commit() {
	s.t.Helper()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "manifests"}} {
		cmd := exec.CommandContext(s.t.Context(), "git", args...)
		cmd.Dir = s.path("repo")
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// count asks the cloud how many of its things the stack has made.
func (s *stage) count(service, path, field string) int {
	s.t.Helper()
	c, err := cloud.Open(s.t.Context(), cloud.Config{Cloud: "demo", File: s.path("clouds.yaml"), Version: "test"})
	if err != nil {
		s.t.Fatal(err)
	}
	list, err := cloud.List[struct {
		DeviceOwner string `json:"device_owner"`
	}](s.t.Context(), c, cloud.Call{Service: service, Method: http.MethodGet, Path: path}, field)
	if err != nil {
		s.t.Fatal(err)
	}
	n := 0
	for _, item := range list {
		if item.DeviceOwner != "Octavia" {
			n++
		}
	}
	return n
}

// record keeps what a process says.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

// String is all that was said.
func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func networkNamed(name, description string) string {
	return fmt.Sprintf("---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: %s}\nspec: {resource: {description: %q}}\n", name, description)
}

func logTo(w io.Writer) *slog.Logger { return slog.New(report.NewHandler(w, false, slog.LevelInfo)) }

func openerFor(log *slog.Logger) session.Opener {
	return session.Opener{Log: log, Parallelism: 4, Version: "test", Shared: &session.Shared{}}
}
