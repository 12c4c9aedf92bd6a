package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// stage is a servicetest.Stage with a binary.
type stage struct {
	*servicetest.Stage
	t      testing.TB
	binary string
}

func newStage(t testing.TB, options simulator.Options) *stage {
	t.Helper()
	return &stage{Stage: servicetest.New(t, options), t: t}
}

// build builds the binary as it is released.
func (s *stage) build() {
	s.t.Helper()
	var err error
	if s.binary, err = shipped.binary(); err != nil {
		s.t.Fatal(err)
	}
}

// command returns a command that runs the agent with an empty disk.
func (s *stage) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), s.binary, append(args, "--config", s.Path("stackreeve.yaml"))...)
	cmd.Env = append(os.Environ(), "OS_CLIENT_CONFIG_FILE="+s.Path("clouds.yaml"))
	return cmd
}

// If a process is killed at any moment and started again with an empty disk, the cloud finally contains exactly the objects in Git. The test
// takes long, because it starts the program up to 200 times, on a cloud that needs time for each object.
func TestKill9(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	s := newStage(t, simulator.Options{BuildDelay: 300 * time.Millisecond, PendingDelay: 200 * time.Millisecond})
	example, err := stackreeve.Example("verda")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(s.Path("repo"), example); err != nil {
		t.Fatal(err)
	}
	s.Commit()
	s.build()
	kills := 0
	for pause := 10 * time.Millisecond; ; pause += time.Duration(5+rand.IntN(20)) * time.Millisecond {
		cmd := s.command("run", "--once")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		alarm := time.AfterFunc(pause, func() { _ = cmd.Process.Kill() }) // the process may already have ended
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
		if got := s.Count(c.service, c.path, c.field); got != c.want {
			t.Errorf("%d %s, want %d", got, c.what, c.want)
		}
	}
}
