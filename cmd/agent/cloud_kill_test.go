package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const verdaHolds = "2 health monitors, 2 listeners, 1 load balancers, 4 members, 2 pools, 3 ports, 1 server groups, 3 servers"

// number reads a numeric setting of a test. The value must be at least `least`.
func number(t *testing.T, name string, least, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		t.Fatalf("%s is %q and not a number from %d on", name, text, least)
	}
	return n
}

// killer kills a process at its n-th request of a sort: after the cloud has carried out the request, and before the answer arrives.
type killer struct {
	writes bool
	n      int
	cmd    *exec.Cmd

	started chan struct{}
	mu      sync.Mutex
	seen    int
	killed  string // the call at which the process was killed
}

func (k *killer) strikes(c call) spoil {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.writes != k.writes {
		return nil
	}
	if k.seen++; k.seen != k.n {
		return nil
	}
	k.killed = c.String()
	return func(w http.ResponseWriter, _ *http.Request, forward func() (*answer, error)) {
		_, _ = forward() // the result does not matter
		<-k.started
		_ = k.cmd.Process.Kill() // the process may already have ended
		cut(w, nil, 0)
	}
}

// killAfter starts the program and kills it. It returns "" if the program ended before that.
func (g *ground) killAfter(writes bool, n int) string {
	g.t.Helper()
	k := &killer{writes: writes, n: n, cmd: g.command("run", "--once", "--max-deletes", "100%"), started: make(chan struct{})}
	g.proxy.during(k.strikes)
	if err := k.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	close(k.started)
	err := k.cmd.Wait()
	g.proxy.settled()
	g.proxy.during(nil)
	if (err == nil) != (k.killed == "") {
		g.t.Errorf("the program ended with %v, killed after %q", err, k.killed)
	}
	return k.killed
}

// The program is killed after one of its requests, while it builds the story or deletes it. After it is started again with an empty disk, the
// cloud contains exactly the objects in Git. The test kills the program after every write, but only after every fourth read, because a read
// changes nothing.
func TestCloudKill(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	s := &stage{Stage: &servicetest.Stage{T: t, Dir: t.TempDir()}, t: t}
	s.build()
	real := os.Getenv("STACKREEVE_TEST_CLOUD") != ""
	for _, sort := range []struct {
		name         string
		writes       bool
		step, shards int
	}{{"writes", true, 1, 2}, {"reads", false, 4, 6}} {
		if real {
			sort.shards = 1 // several shards would only wait for each other
		}
		if testing.Short() && real && !sort.writes {
			continue
		}
		if testing.Short() {
			sort.step *= 11
		}
		from, step := number(t, "STACKREEVE_TEST_FROM", 1, 1), number(t, "STACKREEVE_TEST_STEP", 1, sort.step)
		for shard := range sort.shards {
			t.Run(fmt.Sprint(sort.name, " ", shard+1), func(t *testing.T) {
				if !real {
					t.Parallel()
				}
				newGroundFor(t, s.binary).kills(sort.writes, from+shard*step, step*sort.shards)
			})
		}
	}
}

// kills kills the program after the request number from, then after every step-th request, until there are no more.
func (g *ground) kills(writes bool, from, step int) {
	g.t.Helper()
	story, err := stackreeve.Example("verda")
	if err != nil {
		g.t.Fatal(err)
	}
	points := 0
	for n := from; ; n += step {
		g.commit(story)
		building := g.killAfter(writes, n)
		g.wants(0, nil, "run", "--once")
		g.holds("killed while building, after "+building, "-sample", verdaHolds)
		g.commit(fstest.MapFS{"README.md": {}})
		emptying := g.killAfter(writes, n)
		g.wants(0, nil, "run", "--once", "--max-deletes", "100%")
		g.holds("killed while emptying, after "+emptying, "-sample", "nothing")
		if g.t.Failed() || building == "" && emptying == "" {
			break
		}
		points++
		g.t.Logf("%d: killed after %q and %q", n, building, emptying)
	}
	g.t.Logf("killed at %d places", points)
}
