package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// TestScripts runs the program as people do. A script that needs a cloud starts one with the command simulator.
func TestScripts(t *testing.T) { scripts(t, "testdata") }

// TestAttackScripts runs attacks that strangers may try.
func TestAttackScripts(t *testing.T) { scripts(t, filepath.Join("testdata", "attack")) }

func scripts(t *testing.T, dir string) {
	clouds, artifacts := &clouds{}, &registries{}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		// A script that takes more than a few seconds begins with `[!long] skip`: see testcost.Long.
		Condition: func(cond string) (bool, error) {
			if cond != "long" {
				return false, fmt.Errorf("no condition %q", cond)
			}
			return testcost.RunsLong(), nil
		},
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
			"simulator":   clouds.start,
			"writes":      clouds.writes,
			"fault":       clouds.fault,
			"leaks":       leaks,
			"change":      clouds.change,
			"server":      clouds.action,
			"description": clouds.description,
			"fillin":      clouds.fillIn,
			"quota":       clouds.quota,
			"role":        clouds.role,
			"asked":       clouds.asked,
			"image":       clouds.image,
			"upload":      clouds.upload,
			"flavor":      clouds.flavor,
			"exits":       exits,
			"gitlab":      func(ts *testscript.TestScript, _ bool, args []string) { startGitLab(t, ts, args) },
			"address":     address,
			"await":       await,
			"approval":    approval,
			"commit":      commit,
			"hostile":     hostile,
			"printable":   wantPrintable,
			"registry":    artifacts.push,
		},
	})
}

// clouds contains the simulators of scripts, which run at the same time.
type clouds struct{ byScript sync.Map }

// of returns the simulator that a script has started.
func (c *clouds) of(ts *testscript.TestScript) *simulator.Server {
	server, started := c.byScript.Load(ts.Name())
	if !started {
		ts.Fatalf("the script has started no simulator")
	}
	return server.(*simulator.Server)
}

// start starts a simulator and writes its address into the script's environment.
func (c *clouds) start(ts *testscript.TestScript, _ bool, _ []string) {
	server, err := simulator.Start(context.Background(), "127.0.0.1:0", simulator.Options{Seed: 1})
	ts.Check(err)
	ts.Defer(func() { ts.Check(server.Close()) })
	file := filepath.Join(ts.Getenv("WORK"), "clouds.yaml")
	ts.Check(os.WriteFile(file, server.CloudsYAML(), 0o600))
	ts.Setenv("OS_CLIENT_CONFIG_FILE", file)
	ts.Setenv("OS_CLOUD", "demo")
	c.byScript.Store(ts.Name(), server)
}

// startGitLab starts a stand-in for GitLab whose agent has a token with these scopes. It writes the address into the script's environment.
func startGitLab(t *testing.T, ts *testscript.TestScript, scopes []string) {
	g := forgetest.StartGitLab(t)
	if len(scopes) > 0 {
		g.LimitToken(forgetest.Bot, scopes...)
	}
	ts.Check(os.WriteFile(ts.MkAbs("token"), []byte(g.Token(forgetest.Bot)), 0o600))
	ts.Setenv("GITLAB_URL", g.URL)
	text := fmt.Sprintf(`apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: prod}
spec:
  source: {url: %s}
  cloud: demo
  report:
    gitlab: {url: %s, project: %s, tokenFile: token}
`, g.Remote(), g.URL, g.Project)
	ts.Check(os.WriteFile(ts.MkAbs("stackreeve.yaml"), []byte(text), 0o600))
}

// writes expects a number of write requests since its last call ("some" means any number above zero), and at least one read request.
func (c *clouds) writes(ts *testscript.TestScript, _ bool, args []string) {
	server := c.of(ts)
	writes, reads := 0, 0
	for _, r := range server.Requests() {
		if r.Write() {
			writes++
		} else {
			reads++
		}
	}
	server.ResetRequests()
	if args[0] != fmt.Sprint(writes) && (args[0] != "some" || writes == 0) || reads == 0 {
		ts.Fatalf("%d writing and %d reading requests, want %s and some", writes, reads, args[0])
	}
}

// fault starts a fault of the simulator. The control pages of the simulator describe the syntax of faults.
func (c *clouds) fault(ts *testscript.TestScript, _ bool, args []string) {
	address := c.of(ts).URL + "/_simulator/faults"
	resp, err := http.Post(address, "application/json", strings.NewReader(strings.Join(args, " ")))
	ts.Check(err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		text, err := io.ReadAll(resp.Body)
		ts.Fatalf("%s %s %v", resp.Status, text, err)
	}
}

// object finds one of Neutron's objects by kind and name, and returns the client that found it. The ID is "" if there is none.
func (c *clouds) object(ts *testscript.TestScript, kind, name string) (client *cloud.Client, id, description string) {
	client, err := cloud.Open(context.Background(), cloud.Config{Cloud: "demo", File: ts.Getenv("OS_CLIENT_CONFIG_FILE")})
	ts.Check(err)
	list, err := cloud.List[struct{ ID, Name, Description string }](context.Background(), client, cloud.Call{Service: cloud.Network, Path: kind + "s"}, kind+"s")
	ts.Check(err)
	for _, o := range list {
		if o.Name == name {
			return client, o.ID, o.Description
		}
	}
	return client, "", ""
}

// change sets a field of one of Neutron's objects, as another person could do: change KIND NAME FIELD VALUE.
func (c *clouds) change(ts *testscript.TestScript, _ bool, args []string) {
	client, id, _ := c.object(ts, args[0], args[1])
	ts.Check(client.Do(context.Background(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: args[0] + "s/" + id,
		Body: map[string]any{args[0]: map[string]any{args[2]: args[3]}}}))
}

// description checks the description of one of Neutron's objects: KIND NAME TEXT.
func (c *clouds) description(ts *testscript.TestScript, not bool, args []string) {
	if _, _, have := c.object(ts, args[0], args[1]); (have == args[2]) == not {
		ts.Fatalf("the description of %s %s is %q", args[0], args[1], have)
	}
}

// secretsOfScripts are the prefixes of the values in the scripts' Secrets.
var secretsOfScripts = []string{"zyxwvuts", "qponmlkj"}

// leaks fails if the output of the last command contains a secret, in plain text or as a part of base64 text.
func leaks(ts *testscript.TestScript, _ bool, _ []string) {
	said := ts.ReadFile("stdout") + "\n" + ts.ReadFile("stderr")
	if strings.TrimSpace(said) == "" {
		ts.Fatalf("the last command said nothing")
	}
	for _, secret := range secretsOfScripts {
		forms := []string{secret}
		for shift := range 3 {
			// These forms omit the characters that depend on the surrounding text.
			text := base64.RawStdEncoding.EncodeToString([]byte("..."[:shift] + secret))
			forms = append(forms, text[[]int{0, 2, 3}[shift]:len(text)-1])
		}
		for _, form := range forms {
			if at := strings.Index(said, form); at >= 0 {
				ts.Fatalf("%s is shown as %s: %s", secret, form, said[max(0, at-100):min(len(said), at+100)])
			}
		}
	}
}

// exits runs the program and checks its exit code.
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

// commit makes a repository of a folder, or commits the changes there.
func commit(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		ts.Check(ts.Exec("git", "init", "-q", "-b", "main", dir))
	}
	ts.Check(ts.Exec("git", "-C", dir, "add", "-A"))
	ts.Check(ts.Exec("git", "-C", dir, "commit", "-q", "-m", args[1]))
}

// address writes an address at which nobody listens into a variable.
func address(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], l.Addr().String())
	ts.Check(l.Close())
}

// approval finds the hash after these words in the output of the last command, and writes it into the variable HASH.
func approval(ts *testscript.TestScript, _ bool, args []string) {
	_, hash, ok := strings.Cut(ts.ReadFile("stdout"), strings.Join(args, " ")+" ")
	if !ok {
		ts.Fatalf("nothing to approve of")
	}
	hash, _, _ = strings.Cut(hash, "\n")
	ts.Setenv("HASH", hash)
}

// await requests a URL repeatedly until its answer matches.
func await(ts *testscript.TestScript, _ bool, args []string) {
	want, err := regexp.Compile(args[1])
	ts.Check(err)
	var last string
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		last = get(args[0])
		if want.MatchString(last) {
			return
		}
	}
	ts.Fatalf("%s never matched %s; last was\n%s", args[0], args[1], last)
}

func get(url string) string {
	resp, err := http.Get(url)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
