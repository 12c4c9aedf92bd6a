package main

import (
	"context"
	"errors"
	"fmt"
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

// bomb returns a manifest with groups of a thousand machines each.
func bomb(groups int) string {
	var b strings.Builder
	for i := range groups {
		fmt.Fprintf(&b, "---\napiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\nmetadata: {name: g%d}\nspec: {replicas: 1000, template: {image: debian, flavor: small}}\n", i)
	}
	return b.String()
}

// TestAttackSignalWhileReading stops every command while it reads 900,000 objects, which a setting allows. The memory shows how many objects
// it reads after the signal, because all of them would need gigabytes.
func TestAttackSignalWhileReading(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	if _, err := os.Stat("/proc/self/statm"); err != nil || testing.Short() {
		t.Skip("it looks at the memory of processes in /proc")
	}
	s := newStage(t, simulator.Options{})
	s.build()
	s.Write("repo/bomb.yaml", bomb(300))
	s.Commit()
	s.Write("stackreeve.yaml", "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: prod}\nspec:\n  source: {url: "+s.Path("repo")+"}\n  cloud: demo\n  limits: {objects: 1000000}\n")
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"validate", s.Path("repo")}, context.Canceled.Error(), 1},
		{[]string{"plan"}, context.Canceled.Error(), 1},
		{[]string{"status"}, context.Canceled.Error(), 1},
		{[]string{"run", "--once"}, context.Canceled.Error(), 1},
		{[]string{"run"}, "msg=stopped", 0},
	} {
		t.Run(strings.Join(c.args[:1], " "), func(t *testing.T) {
			const begun, most = 150 << 10, 500 << 10 // KiB
			cmd, said := s.command(c.args...), &servicetest.Record{}
			cmd.Stdout, cmd.Stderr = said, said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			signalAt(t, cmd, begun)
			var exited *exec.ExitError
			if err := cmd.Wait(); err != nil && !errors.As(err, &exited) {
				t.Fatal(err)
			}
			used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
			if cmd.ProcessState.ExitCode() != c.code || used > most || !strings.Contains(said.String(), c.want) {
				t.Errorf("exit code %d, %d KiB\n%s", cmd.ProcessState.ExitCode(), used, said)
			}
		})
	}
}

// signalAt sends SIGTERM to a process when it uses kib KiB of memory.
func signalAt(t *testing.T, cmd *exec.Cmd, kib int) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for range look.C {
		var pages, resident int
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", cmd.Process.Pid))
		if n, _ := fmt.Sscan(string(text), &pages, &resident); err != nil || n < 2 || resident == 0 {
			t.Error("it ended by itself")
			return
		}
		if resident*os.Getpagesize()>>10 >= kib {
			break
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}
