package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stackreeve/stackreeve/internal/cloud/simulator"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"stackreeve": main})
}

// TestScripts runs the program as people do. A script that needs a cloud says
// so with the command simulator.
func TestScripts(t *testing.T) {
	clouds := &clouds{byScript: map[string]*simulator.Server{}}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				e.Setenv("GIT_"+who+"_NAME", "Ada")
				e.Setenv("GIT_"+who+"_EMAIL", "ada@example.com")
				e.Setenv("GIT_"+who+"_DATE", "2026-01-02T03:04:05Z")
			}
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"simulator": clouds.start,
			"writes":    clouds.writes,
			"exits":     exits,
			"commit":    commit,
		},
	})
}

type clouds struct{ byScript map[string]*simulator.Server }

// start starts a simulator and points the script's environment at it.
func (c *clouds) start(ts *testscript.TestScript, _ bool, _ []string) {
	server, err := simulator.Start(context.Background(), "127.0.0.1:0", simulator.Options{Seed: 1})
	ts.Check(err)
	ts.Defer(func() { ts.Check(server.Close()) })
	file := filepath.Join(ts.Getenv("WORK"), "clouds.yaml")
	ts.Check(os.WriteFile(file, server.CloudsYAML(), 0o600))
	ts.Setenv("OS_CLIENT_CONFIG_FILE", file)
	ts.Setenv("OS_CLOUD", "demo")
	c.byScript[ts.Name()] = server
}

// writes wants that many writing requests since the last time, and some that
// read.
func (c *clouds) writes(ts *testscript.TestScript, _ bool, args []string) {
	server := c.byScript[ts.Name()]
	writes, reads := 0, 0
	for _, r := range server.Requests() {
		if r.Write() {
			writes++
		} else {
			reads++
		}
	}
	server.ResetRequests()
	if fmt.Sprint(writes) != args[0] || reads == 0 {
		ts.Fatalf("%d writing and %d reading requests, want %s and some", writes, reads, args[0])
	}
}

// exits runs the program and wants its exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("stackreeve", args[1:]...)
	if (err == nil) != (code == 0) {
		ts.Fatalf("exit: %v, want code %d", err, code)
	}
	if err != nil && err.Error() != fmt.Sprintf("exit status %d", code) {
		ts.Fatalf("%v, want code %d", err, code)
	}
}

// commit makes a repository of a folder, or adds what has changed there.
func commit(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		ts.Check(ts.Exec("git", "init", "-q", "-b", "main", dir))
	}
	ts.Check(ts.Exec("git", "-C", dir, "add", "-A"))
	ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "-m", args[1]))
}
