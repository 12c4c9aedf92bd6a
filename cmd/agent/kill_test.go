package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// stage is a simulator, a binary and a folder of manifests in Git.
type stage struct {
	t      testing.TB
	dir    string
	binary string
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

// build makes the binary as it is shipped.
func (s *stage) build() {
	s.t.Helper()
	var err error
	if s.binary, err = shipped.binary(); err != nil {
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

// command is the agent with an empty disk.
func (s *stage) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), s.binary, append(args, "--config", s.path("stackreeve.yaml"))...)
	cmd.Env = append(os.Environ(), "OS_CLIENT_CONFIG_FILE="+s.path("clouds.yaml"))
	return cmd
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

// A process that is killed at any moment, and started again on an empty disk,
// ends with exactly the objects written.
func TestKill9(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	s := newStage(t, simulator.Options{BuildDelay: 300 * time.Millisecond, PendingDelay: 200 * time.Millisecond})
	example, err := stackreeve.Example("verda")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(s.path("repo"), example); err != nil {
		t.Fatal(err)
	}
	s.commit()
	s.build()
	kills := 0
	for pause := 10 * time.Millisecond; ; pause += time.Duration(5+rand.IntN(20)) * time.Millisecond {
		cmd := s.command("run", "--once")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		alarm := time.AfterFunc(pause, func() { _ = cmd.Process.Kill() }) // it may have ended already
		err := cmd.Wait()
		alarm.Stop()
		if err == nil {
			break
		}
		if kills++; kills > 200 {
			t.Fatal("the agent never got through")
		}
	}
	t.Logf("killed %d times", kills)
	out, err := s.command("run", "--once").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		what, service, path, field string
		want                       int
	}{
		{"servers", cloud.Compute, "servers/detail", "servers", 3},
		{"ports", cloud.Network, "ports", "ports", 3},
		{"load balancers", cloud.LoadBalancer, "lbaas/loadbalancers", "loadbalancers", 1},
		{"listeners", cloud.LoadBalancer, "lbaas/listeners", "listeners", 2},
		{"pools", cloud.LoadBalancer, "lbaas/pools", "pools", 2},
	} {
		if got := s.count(c.service, c.path, c.field); got != c.want {
			t.Errorf("%d %s, want %d", got, c.what, c.want)
		}
	}
}
