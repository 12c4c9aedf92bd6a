package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// A pass that waits for a machine does not delay the next commit.
func TestAPushIsNotHeldUpByAMachineInBuild(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := newStage(t, simulator.Options{BuildDelay: time.Hour})
	s.build()
	doc := func(kind, name, resource string) string {
		return "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: " + kind + "\nmetadata: {name: " + name + "}\nspec: {resource: {" + resource + "}}\n"
	}
	s.Write("repo/machine.yaml", "apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachine\nmetadata: {name: slow}\n"+
		"spec: {image: centos79, flavor: n3-1vcpu-2gb, initScript: {value: ls}}\n")
	s.Commit()

	var once [3]sync.Once
	var seen [3]chan struct{}
	for i := range seen {
		seen[i] = make(chan struct{})
	}
	s.Server.OnRequest(func(_ int, r simulator.Request) {
		for i, path := range []string{"/servers", "/networks", "/security-groups"} {
			if r.Method == "POST" && strings.HasSuffix(r.Path, path) {
				once[i].Do(func() { close(seen[i]) })
			}
		}
	})
	var log bytes.Buffer
	cmd := s.command("run", "--poll", "@every 1s", "--drift-check", "@every 1h")
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	wait := func(i int, what string) {
		select {
		case <-seen[i]:
		case <-ctx.Done():
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			t.Fatalf("no request for %s\n%s", what, log.String())
		}
	}
	wait(0, "the machine")
	s.Write("repo/network.yaml", doc("Network", "next", ""))
	s.Commit()
	wait(1, "the next commit's network")
	if err := os.Remove(s.Path("repo/network.yaml")); err != nil {
		t.Fatal(err)
	}
	s.Write("repo/group.yaml", doc("SecurityGroup", "last", ""))
	s.Commit()
	wait(2, "the last commit's security group")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the process was stopped
	if n := strings.Count(log.String(), "pass superseded"); n < 2 {
		t.Errorf("%d passes were reported as superseded, want 2\n%s", n, log.String())
	}
}
