package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// result is the outcome of a change.
type result string

const (
	noticed   result = "was noticed"
	survives  result = "survives"
	unreached result = "is not reached"
)

// binaries are the compiled tests.
type binaries struct {
	tests   []test
	reached map[int][]test // by the number of the guard, the fastest test first
}

// test is one top-level test of a binary.
type test struct {
	binary, dir, name string
	quiet             []string // flags that prevent files with findings
	takes             time.Duration
}

// prepare compiles the tests and runs each without any change. It returns an error if one fails.
func prepare(module string, p *source, n int, dir string, pkgs []string) (*binaries, error) {
	overlay, err := p.overlay(n, dir)
	if err != nil {
		return nil, err
	}
	b := &binaries{reached: map[int][]test{}}
	for i, pkg := range pkgs {
		if err := b.compile(module, pkg, overlay, filepath.Join(dir, strconv.Itoa(i)+".test")); err != nil {
			return nil, err
		}
	}
	file := filepath.Join(dir, "reached")
	for i := range b.tests {
		t := &b.tests[i]
		began := time.Now()
		if out, err := runTests([]test{*t}, 10*time.Minute, reachedVariable+"="+file); err != nil {
			return nil, fmt.Errorf("%s fails without any change: %w\n%s", t.name, err, out)
		}
		t.takes = time.Since(began)
		if err := b.note(*t, file); err != nil {
			return nil, err
		}
	}
	for _, tests := range b.reached {
		slices.SortStableFunc(tests, func(a, b test) int { return cmp.Compare(a.takes, b.takes) })
	}
	return b, nil
}

// overlay writes the changed files, and a list of the files that they replace.
func (p *source) overlay(n int, dir string) (string, error) {
	replace := map[string]string{}
	write := func(name, text string) error {
		to := filepath.Join(dir, filepath.Base(name))
		replace[name] = to
		return os.WriteFile(to, []byte(text), 0o600)
	}
	for name, t := range p.texts {
		if err := write(name, t.now()); err != nil {
			return "", err
		}
	}
	if err := write(filepath.Join(p.dir, "mutant_guards.go"), guards(p.name, n)); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}

// compile compiles the tests of a package and lists them.
func (b *binaries) compile(module, pkg, overlay, to string) error {
	cmd := exec.Command("go", "test", "-c", "-overlay", overlay, "-vet=off", "-ldflags=-w", "-o", to, pkg)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s does not compile: %w\n%s", pkg, err, out)
	}
	cmd = exec.Command(to, "-test.list", "^(Test|Fuzz|Example)")
	cmd.Dir = filepath.Join(module, pkg)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("the tests of %s cannot be listed: %w", pkg, err)
	}
	var quiet []string
	if usage, _ := exec.Command(to, "-help").CombinedOutput(); strings.Contains(string(usage), "-rapid.nofailfile") {
		quiet = []string{"-rapid.nofailfile"}
	}
	for _, name := range strings.Fields(string(out)) {
		b.tests = append(b.tests, test{binary: to, dir: cmd.Dir, name: name, quiet: quiet})
	}
	return nil
}

// note records the guards that a test has reached.
func (b *binaries) note(t test, file string) error {
	list, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	} else if err != nil {
		return err
	}
	for _, field := range strings.Fields(string(list)) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return err
		}
		b.reached[n] = append(b.reached[n], t)
	}
	return os.Remove(file)
}

// try runs the tests that reach a guard, while its change is active.
func (b *binaries) try(n int) result {
	tests := b.reached[n]
	if len(tests) == 0 {
		return unreached
	}
	for len(tests) > 0 {
		now, takes := batch(tests)
		tests = tests[len(now):]
		if _, err := runTests(now, 4*takes+10*time.Second, chosenVariable+"="+strconv.Itoa(n)); err != nil {
			return noticed
		}
	}
	return survives
}

// batch returns the next tests of one binary that together need a few seconds. It returns at least one.
func batch(tests []test) (now []test, takes time.Duration) {
	for _, t := range tests {
		if len(now) > 0 && (t.binary != now[0].binary || takes+t.takes > 3*time.Second) {
			break
		}
		now, takes = append(now, t), takes+t.takes
	}
	return now, takes
}

// runTests runs tests of one binary. A test that needs too much time or memory fails.
func runTests(tests []test, limit time.Duration, variable string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = t.name
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 6000000; exec "$@"`, "sh",
		tests[0].binary, "-test.failfast", "-test.run", "^("+strings.Join(names, "|")+")$")
	cmd.Args = append(cmd.Args, tests[0].quiet...)
	cmd.Dir = tests[0].dir
	cmd.Env = append(os.Environ(), variable)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}
