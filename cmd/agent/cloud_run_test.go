package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"
)

// commit makes a commit in which the repository contains exactly these files.
func (g *ground) commit(files fs.FS) {
	g.t.Helper()
	repo := g.path("repo")
	if !exists(repo) {
		g.git("init", "-q", "-b", "main", repo)
	}
	g.git("-C", repo, "rm", "-rq", "--ignore-unmatch", ".")
	if err := os.CopyFS(repo, files); err != nil {
		g.t.Fatal(err)
	}
	g.git("-C", repo, "add", "-A")
	g.git("-C", repo, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "--allow-empty", "-m", "manifests")
}

func (g *ground) git(args ...string) {
	g.t.Helper()
	if out, err := exec.CommandContext(g.t.Context(), "git", args...).CombinedOutput(); err != nil {
		g.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// ending contains the exit code and the output of the program.
type ending struct {
	code int
	said string
	took time.Duration
}

// command returns a command that runs the program with an empty disk.
func (g *ground) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(g.t.Context()), 10*time.Minute)
	g.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, g.binary, append(args, "--config", g.path("stackreeve.yaml"))...)
	cmd.Env = append(plainEnvironment(), "HOME="+g.dir, "OS_CLIENT_CONFIG_FILE="+g.path("clouds.yaml"))
	return cmd
}

func (g *ground) agent(args ...string) ending {
	g.t.Helper()
	return g.finish(g.command(args...))
}

func (g *ground) finish(cmd *exec.Cmd) ending {
	g.t.Helper()
	started := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		g.t.Fatal(err)
	}
	return ending{cmd.ProcessState.ExitCode(), string(out), time.Since(started)}
}

// wants runs the program and checks its exit code, and that its output contains each of the texts.
func (g *ground) wants(code int, texts []string, args ...string) ending {
	g.t.Helper()
	e := g.agent(args...)
	if e.code != code {
		g.t.Fatalf("%v: exit code %d, want %d:\n%s", args, e.code, code, e.said)
	}
	for _, text := range texts {
		if !strings.Contains(e.said, text) {
			g.t.Errorf("%v: nothing of %q in\n%s", args, text, e.said)
		}
	}
	return e
}
