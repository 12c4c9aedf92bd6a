package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// If a person requests a pass, a pass that waits for a machine ends. It also ends if a commit suspends the stack, and no change of that commit
// is carried out.
func TestARequestAndASuspensionEndAPassThatWaits(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	s := newStage(t, simulator.Options{BuildDelay: time.Hour})
	s.build()
	s.Write("repo/machine.yaml", "apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachine\nmetadata: {name: slow}\n"+
		"spec: {image: centos79, flavor: n3-1vcpu-2gb, initScript: {value: ls}}\n")
	s.Commit()
	s.Write("token", "alice "+strings.Repeat("t", 40)+"\n")

	asked, networks := make(chan struct{}, 100), make(chan struct{}, 100)
	s.Server.OnRequest(func(_ int, r simulator.Request) {
		switch {
		case r.Method == "POST" && strings.HasSuffix(r.Path, "/servers"):
			asked <- struct{}{}
		case r.Method == "POST" && strings.HasSuffix(r.Path, "/networks"):
			networks <- struct{}{}
		}
	})
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // the agent listens at this address next
	said := &servicetest.Record{}
	cmd := s.command("run", "--poll", "@every 1s", "--drift-check", "@every 1h", "--listen", address, "--control-token-file", s.Path("token"))
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // the agent may already have ended
		_ = cmd.Wait()
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	until := func(words string, times int) {
		t.Helper()
		for strings.Count(said.String(), words) < times {
			select {
			case <-ctx.Done():
				t.Fatalf("never said %d times: %s\n%s", times, words, said)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	select {
	case <-asked:
	case <-ctx.Done():
		t.Fatalf("no machine\n%s", said)
	}
	ask := exec.CommandContext(ctx, s.binary, "reconcile", "killed", "--server", "http://"+address, "--control-token-file", s.Path("token"))
	if out, err := ask.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	until(`by="a request to reconcile"`, 1)
	until("msg=planned", 2) // the commit would not end a pass that has not started
	s.Write("repo/network.yaml", "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: next}\nspec: {resource: {}}\n")
	s.Write("repo/.stackreeve.yaml", "suspend: true\n")
	s.Commit()
	until(`suspended="suspend is true in .stackreeve.yaml"`, 1)
	if n := strings.Count(said.String(), "pass superseded"); n != 2 {
		t.Errorf("%d passes were superseded, want 2\n%s", n, said)
	}
	if len(networks) != 0 {
		t.Errorf("a suspended stack got a network\n%s", said)
	}
	// Without the file, the stack is no longer suspended.
	if err := os.Remove(s.Path("repo/.stackreeve.yaml")); err != nil {
		t.Fatal(err)
	}
	s.Commit()
	select {
	case <-networks:
	case <-ctx.Done():
		t.Fatalf("it does not go on\n%s", said)
	}
}
