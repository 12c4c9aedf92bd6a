package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// noticed is an agent that runs, and notices changes of the cloud by messages or by probes.
type noticed struct {
	*intruder
	said *servicetest.Record
	took []time.Duration // from a change to the agent's next request

	probes  bool // the agent probes, so it does not know who made a change
	running *exec.Cmd
}

// newNoticed starts an agent for the stack. Its drift checks are so rare that it has to be told about changes. events is a field of the
// configuration.
func newNoticed(t *testing.T, events string) (n *noticed, zone string) {
	t.Helper()
	g := newGround(t)
	if g.admin == nil {
		t.Skip("needs a cloud with an administrator")
	}
	n, zone = &noticed{intruder: newIntruder(g, "demo2"), said: &servicetest.Record{}}, g.stack+".example.org."
	text, err := os.ReadFile(g.path("stackreeve.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	g.write("stackreeve.yaml", string(text)+"  sync: {driftCheck: \"@every 24h\"}\n  events: "+events+"\n")
	g.commit(fstest.MapFS{"all.yaml": {Data: []byte(strings.ReplaceAll(disturbed, "ZONE", zone))}})
	cmd := exec.Command(g.binary, "run", "--poll", "@every 24h", "--config", g.path("stackreeve.yaml"))
	cmd.Env = append(plainEnvironment(), "HOME="+g.dir, "OS_CLIENT_CONFIG_FILE="+g.path("clouds.yaml"))
	cmd.Stdout, cmd.Stderr = n.said, n.said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n.running = cmd
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless the setup has failed
	n.until("the stack is in sync", func() bool {
		return strings.Contains(n.said.String(), `msg="pass ended" stack=`+g.stack+` outcome="in sync"`)
	})
	return n, zone
}

// end stops the agent, and deletes the objects of the stack.
func (n *noticed) end() {
	_ = n.running.Process.Signal(syscall.SIGTERM) // the agent may already have ended
	_ = n.running.Wait()
	if n.t.Failed() {
		n.t.Logf("the agent said:\n%s", n.said)
	}
	n.commit(fstest.MapFS{"README.md": {}})
	if e := n.agent("run", "--once", "--max-deletes", "100%", "--allow-data-loss=true"); e.code != 0 {
		n.t.Errorf("taking down ended with %d:\n%s", e.code, e.said)
	}
}

func (n *noticed) until(what string, done func() bool) {
	n.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !done(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			n.t.Fatalf("it does not come to this: %s", what)
		}
	}
}

// probing matches the requests of probes.
var probing = regexp.MustCompile(`limit=(1|201)(&|$)|fields=id(&|$)|quota`)

// calm waits until the agent has sent no request but probes for a time.
func (n *noticed) calm(long time.Duration) {
	n.t.Helper()
	n.until("the agent is calm", func() bool {
		seen := slices.DeleteFunc(n.proxy.seen(), func(c call) bool { return probing.MatchString(c.path + "?" + c.query) })
		return len(seen) == 0 || time.Since(seen[len(seen)-1].at) > long
	})
}

// suffers makes a change and waits until the agent has corrected it, with the name of the user in its log.
func (n *noticed) suffers(c change) {
	n.t.Helper()
	before := len(n.said.String())
	n.proxy.during(nil)
	answered := c.do(n.intruder)
	since := func() string { return n.said.String()[before:] }
	n.until(c.key+" "+c.what+" is noticed", func() bool { return strings.Contains(since(), `msg="pass ended"`) })
	var first, write time.Time
	for _, call := range n.proxy.seen() {
		if first.IsZero() && !probing.MatchString(call.path+"?"+call.query) {
			first = call.at
		}
		if call.writes && write.IsZero() {
			write = call.at
		}
	}
	took := max(0, first.Sub(answered))
	n.took = append(n.took, took)
	n.t.Logf("%s %s: the next request after %v, the correcting one after %v", c.key, c.what, took.Round(time.Millisecond), write.Sub(answered).Round(time.Millisecond))
	by := " by=" + n.user
	if c.silent || n.probes {
		by = ""
	}
	for line := range strings.Lines(since()) {
		if c.late && strings.Contains(line, `msg="step done"`) && strings.Contains(line, "key="+c.key+" ") {
			return
		}
		if strings.Contains(line, "msg=drift ") && strings.Contains(line, "key="+c.key+" ") && strings.Contains(line, by) {
			return
		}
	}
	n.t.Errorf("%s %s: no drift of it%s in\n%s", c.key, c.what, by, since())
}

// report logs the latencies.
func (n *noticed) report() {
	n.t.Helper()
	slices.Sort(n.took)
	part := func(p float64) time.Duration { return n.took[min(int(p*float64(len(n.took))), len(n.took)-1)] }
	n.t.Logf("%d changes: median %v, p99 %v, largest %v", len(n.took), part(0.5), part(0.99), n.took[len(n.took)-1])
}

// rabbit returns the file with the address of the RabbitMQ of the cloud, and the login of the user whose rights docs/events.md lists.
func rabbit(t *testing.T) string {
	t.Helper()
	file := cmp.Or(os.Getenv("STACKREEVE_TEST_AMQP_URL_FILE"), filepath.Join(filepath.Dir(os.Getenv("OS_CLIENT_CONFIG_FILE")), "amqp-url"))
	if os.Getenv("STACKREEVE_TEST_CLOUD") == "" || !exists(file) {
		t.Skip("needs a cloud and its RabbitMQ, such as those of deploy/devcloud")
	}
	return file
}

// Another user changes and deletes objects of all services. The agent reads the messages of the cloud's services, corrects each change, and says
// who made it.
func TestCloudEvents(t *testing.T) {
	testcost.Long(t) // a real cloud
	file := rabbit(t)
	n, zone := newNoticed(t, fmt.Sprintf("{amqp: {urlFile: %q}}", file))
	defer n.end()
	n.suffersAll(changes(zone), 2)
}

// TestCloudProbes makes the same changes as TestCloudEvents. The agent gets no messages, and probes the services instead.
func TestCloudProbes(t *testing.T) {
	testcost.Long(t) // a real cloud
	rabbit(t)
	n, zone := newNoticed(t, `{probe: "on"}`)
	defer n.end()
	n.probes = true
	calm := number(t, "STACKREEVE_TEST_CALM_MINUTES", 0, 0)
	if calm > 0 {
		n.calm(30 * time.Second)
		n.proxy.during(nil)
		begin, asked := time.Now(), map[string]int{}
		n.until("the calm ends", func() bool { return time.Since(begin) > time.Duration(calm)*time.Minute })
		for _, c := range n.proxy.seen() {
			asked[c.service]++
		}
		t.Logf("requests in %d min in which nothing changes: %v", calm, asked)
	}
	n.suffersAll(changes(zone), 6)
}

// suffersAll makes the changes, and waits until each is corrected. With -short it makes one of every few.
func (n *noticed) suffersAll(all []change, few int) {
	n.t.Helper()
	for range number(n.t, "STACKREEVE_TEST_ROUNDS", 1, 1) {
		for i, c := range all {
			if testing.Short() && i%few > 0 {
				continue
			}
			n.calm(map[bool]time.Duration{false: 6 * time.Second, true: 12 * time.Second}[n.probes]) // the agent's own writes are not taken for a change
			n.suffers(c)
		}
	}
	n.report()
}
