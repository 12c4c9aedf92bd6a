package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// bomb is so many groups of a thousand machines each.
func bomb(groups int) string {
	var b strings.Builder
	for i := range groups {
		fmt.Fprintf(&b, "---\napiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\nmetadata: {name: g%d}\nspec: {replicas: 1000, template: {image: debian, flavor: small}}\n", i)
	}
	return b.String()
}

// TestAttackSignalWhileReading stops every command in the middle of reading
// 900,000 objects, which somebody has allowed. What it goes on to read after the
// signal is counted in memory: all of it would take gigabytes.
func TestAttackSignalWhileReading(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	if _, err := os.Stat("/proc/self/statm"); err != nil || testing.Short() {
		t.Skip("it looks at the memory of processes in /proc")
	}
	s := newStage(t, simulator.Options{})
	s.build()
	s.write("repo/bomb.yaml", bomb(300))
	s.commit()
	s.write("stackreeve.yaml", "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: prod}\nspec:\n  source: {url: "+s.path("repo")+"}\n  cloud: demo\n  limits: {objects: 1000000}\n")
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"validate", s.path("repo")}, "read the manifests: context canceled", 1},
		{[]string{"plan"}, "read the manifests: context canceled", 1},
		{[]string{"status"}, "read the manifests: context canceled", 1},
		{[]string{"run", "--once"}, "read the manifests: context canceled", 1},
		{[]string{"run"}, "msg=stopped", 0},
	} {
		t.Run(strings.Join(c.args[:1], " "), func(t *testing.T) {
			const begun, most = 150 << 10, 500 << 10 // KiB
			cmd, said := s.command(c.args...), &record{}
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

// signalAt sends SIGTERM to a process that has taken so much memory.
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

// TestAttackPullRequestIsMeasuredByItsBranch: what a pull request may bring
// depends on what the branch has; a branch that cannot be read does not stop the
// one that corrects it.
func TestAttackPullRequestIsMeasuredByItsBranch(t *testing.T) {
	testcost.Long(t)
	files := func(text string) fs.FS { return fstest.MapFS{"a.yaml": {Data: []byte(text)}} }
	for _, c := range []struct{ name, branch, pull, want string }{
		{"small", bomb(0), bomb(1), "a.yaml:2: VirtualMachineGroup/g0: more than 1000 objects, with what the manifests expand to: that is the limit for a pull request, given 0 of the branch; " +
			"add them in several pull requests, or raise spec.limits.pullObjects in the stack's configuration"},
		{"as large again", bomb(2), bomb(3), ""},
		{"larger", bomb(1), bomb(3), "that is the limit for a pull request, given 3005 of the branch"},
		{"large", bomb(6), bomb(7), "more than 20000 objects, with what the manifests expand to; split the stack, or raise spec.limits.objects in its configuration"},
		{"broken", "apiVersion: stackreeve.dev/v1alpha1\nkind: Oops\n", bomb(3), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := wiring{}.previewer(&config.Stack{})
			l.base = func() (source.Revision, bool) { return source.Revision{Tree: "t", Files: files(c.branch)}, true }
			_, err := l.read(t.Context(), files(c.pull))
			var problems manifest.Problems
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &problems) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			known := l.bounds
			if _, err := l.read(t.Context(), files(c.branch)); err != nil && c.name != "broken" {
				t.Errorf("the branch itself: %v", err)
			}
			if l.bounds != known {
				t.Error("the branch was measured again")
			}
		})
	}
}

func TestAttackStoppedPullRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := wiring{}.previewer(&config.Stack{})
	l.base = func() (source.Revision, bool) {
		return source.Revision{Tree: "t", Files: fstest.MapFS{"a.yaml": {Data: []byte(bomb(6))}}}, true
	}
	if _, err := l.read(ctx, fstest.MapFS{}); !errors.Is(err, context.Canceled) || l.bounds != nil {
		t.Errorf("got %v", err)
	}
}

// A key file that never ends holds nothing up.
func TestAttackFingerprintKeyIsAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{pipe, "/dev/zero"} {
		s := &config.Stack{Name: "prod"}
		s.Spec.Fingerprints.KeyFiles = []string{file}
		if _, err := fingerprints(s, "project"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// What opens the cloud, and the doors of the agent, is warned of like the files that the configuration names.
func TestFilesThatEverybodyCanReadAreWarnedOf(t *testing.T) {
	dir, said := t.TempDir(), &strings.Builder{}
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte("x"), 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("OS_CLIENT_CONFIG_FILE", file("clouds.yaml", 0o644))
	file("secure.yaml", 0o604)
	svc := &service{log: slog.New(slog.NewTextHandler(said, nil))}
	svc.warnExposed(runFlags{
		controlToken: file("control", 0o644), apiToken: file("api", 0o646), webhookSecret: file("hook", 0o644), tracesHeaders: file("headers", 0o640),
		door: door{cert: file("cert.pem", 0o644), key: file("key.pem", 0o644)},
	})
	for name, want := range map[string]bool{"clouds.yaml": true, "secure.yaml": true, "control": true, "api": true, "hook": true, "key.pem": true, "headers": false, "cert.pem": false} {
		if got := strings.Contains(said.String(), filepath.Join(dir, name)); got != want {
			t.Errorf("%s is warned of: %v", name, got)
		}
	}
}
