package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/lease"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

const (
	proofAgents, proofStacks = 3, 40
	// proofLease is the shortest allowed lease, so that much happens in a short time. With a real cloud on the same machine, the lease must be
	// realLease.
	proofLease, realLease = 12 * time.Second, 36 * time.Second
	// proofClock is the maximum difference between the time when an agent reads its clock and the time when the proxy reads its clock, on a busy
	// machine.
	proofClock = time.Second / 2
	proofKeys  = "/stackreeve/proof/"
)

// proof contains several agents as in production: processes, a real etcd, a repository and a cloud.
type proof struct {
	*stage
	*ledger
	front   http.Handler // the cloud, as the agents see it
	cloud   *standin
	lease   time.Duration
	etcd    *etcd.Endpoints
	members []*process
	agents  []*contender
	began   time.Time

	mu      sync.Mutex
	faults  map[string]int // number of times that each fault happened
	written map[string]int // by stack: the number of the last change that was committed
	commits int
	drifts  int
}

// Three agents serve forty stacks. During that time, agents are killed, stopped, ended, and disconnected from etcd; members of etcd are killed
// and stopped; people commit, and others change the cloud. Two agents never write one stack at the same time, and in the end the cloud equals
// Git.
//
// The cloud is the simulator, or the real cloud in STACKREEVE_TEST_CLOUD (see deploy/devcloud). STACKREEVE_TEST_AGENTS is the folder that
// contains etcd. STACKREEVE_TEST_AGENTS_FOR is the duration. STACKREEVE_TEST_SEED repeats the faults of an earlier run.
func TestAgentsProof(t *testing.T) {
	folder := os.Getenv("STACKREEVE_TEST_AGENTS")
	if folder == "" {
		t.Skip("STACKREEVE_TEST_AGENTS names no folder that etcd is in; see `make test-agents`")
	}
	lasting := time.Minute
	if text := os.Getenv("STACKREEVE_TEST_AGENTS_FOR"); text != "" {
		var err error
		if lasting, err = time.ParseDuration(text); err != nil {
			t.Fatal("STACKREEVE_TEST_AGENTS_FOR: ", err)
		}
	}
	seed := uint64(number(t, "STACKREEVE_TEST_SEED", 1, int(time.Now().UnixNano()>>10&(1<<31-1))))
	t.Logf("STACKREEVE_TEST_SEED=%d STACKREEVE_TEST_AGENTS_FOR=%s", seed, lasting)
	p := newProof(t, folder)
	ctx, cancel := context.WithTimeout(t.Context(), lasting)
	defer cancel()
	var trouble sync.WaitGroup
	for i, a := range p.agents {
		trouble.Go(func() { p.suffer(ctx, rand.New(rand.NewPCG(seed, uint64(i))), p.agentFaults(a)) })
	}
	trouble.Go(func() { p.suffer(ctx, rand.New(rand.NewPCG(seed, 100)), p.memberFaults) })
	trouble.Go(func() { p.change(ctx, rand.New(rand.NewPCG(seed, 101))) })
	trouble.Wait()
	if !t.Failed() { // after a failure, it would wait in vain
		p.settles()
	}
	p.verdict()
}

func newProof(t *testing.T, folder string) *proof {
	p := &proof{stage: newStage(t, simulator.Options{}), lease: proofLease, faults: map[string]int{}, written: map[string]int{}, began: time.Now()}
	p.ledger = &ledger{holder: p.holds, owners: map[string]string{}}
	p.front = p.Server.Cloud
	if os.Getenv("STACKREEVE_TEST_CLOUD") != "" {
		p.front, p.lease = newFront(t), realLease
	}
	door := httptest.NewServer(p.front)
	t.Cleanup(door.Close)
	p.cloud = newStandin(t, door.URL)
	t.Cleanup(p.clear) // it runs after all agents have ended
	p.build()
	for i := range proofStacks {
		p.edit(fmt.Sprintf("stack-%02d", i))
	}
	p.Commit()
	n := newNetwork(t, proofAgents)
	selfSigned(t, p.Path("etcd.crt"), p.Path("etcd.key"), n.listen...)
	text, err := os.ReadFile(p.Path("etcd.crt"))
	if err != nil {
		t.Fatal(err)
	}
	trust := &tls.Config{RootCAs: x509.NewCertPool()}
	trust.RootCAs.AppendCertsFromPEM(text)
	if p.etcd, err = etcd.NewEndpoints(addresses(n.listen[0]), trust); err != nil {
		t.Fatal(err)
	}
	p.members = newMembers(t, folder, n.listen, p.Path("etcd.crt"), p.Path("etcd.key"))
	for _, m := range p.members {
		p.runs(m)
	}
	for i, at := range n.places {
		a := p.agent(fmt.Sprint("agent-", i+1), at)
		p.agents = append(p.agents, a)
		p.runs(&a.process)
	}
	return p
}

// runs starts a process. The process is ended at the end of the test.
func (p *proof) runs(one *process) {
	one.start()
	p.t.Cleanup(func() {
		one.end(syscall.SIGKILL)
		if p.t.Failed() {
			one.tell()
		}
	})
}

func (p *proof) agent(name string, at place) *contender {
	a := &contender{place: at, process: process{t: p.t.(*testing.T), name: name}}
	a.listens(p.ledger)
	url := a.cloudAt(p.before(p.front, name, &a.gate))
	p.stage.Write(name+"/clouds.yaml", string(simulator.CloudsYAML(url)))
	endpoints, _ := json.Marshal(at.etcd) // a list of strings always encodes
	text := fmt.Sprintf("apiVersion: stackreeve.dev/v1alpha1\nkind: Agents\nmetadata: {name: proof}\nspec: {leaseSeconds: %d, etcd: {endpoints: %s, caFile: %s}}\n", int(p.lease.Seconds()), endpoints, p.Path("etcd.crt"))
	for _, stack := range slices.Sorted(maps.Keys(p.written)) {
		text += "---\napiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: " + stack + "}\nspec:\n  source: {url: \"" + p.Path("repo") + "\", branch: main, path: " + stack +
			", poll: \"@every " + (p.lease * 5 / 12).String() + "\"}\n  cloud: demo\n  sync: {driftCheck: \"@every " + (p.lease * 5 / 3).String() + "\"}\n"
	}
	p.stage.Write(name+"/stackreeve.yaml", text)
	a.command = func() *exec.Cmd {
		cmd := a.inPlace(p.binary, "run", "--config", p.Path(name+"/stackreeve.yaml"), "--agent-name", name, "--listen", "")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Dir, "OS_CLIENT_CONFIG_FILE=" + p.Path(name+"/clouds.yaml")}
		return cmd
	}
	return a
}

// edit writes the next change of a stack to its file.
func (p *proof) edit(stack string) {
	p.mu.Lock()
	p.written[stack]++
	text := strings.NewReplacer("NAME", stack, "CHANGE", describes(p.written[stack])).Replace(`apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: NAME}
spec: {resource: {description: CHANGE}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: NAME}
spec: {resource: {networkRef: NAME, ipVersion: 4, cidr: 192.168.0.0/24, description: CHANGE}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: NAME}
spec: {resource: {networkRef: NAME, addresses: [{subnetRef: NAME}], description: CHANGE}}
`)
	p.mu.Unlock()
	p.stage.Write("repo/"+stack+"/all.yaml", text)
}

func describes(change int) string { return fmt.Sprint("change ", change) }

// holders returns the agent that serves each stack, according to a majority of etcd.
func (p *proof) holders() (map[string]lease.Holder, error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), p.lease/4)
	defer cancel()
	list, err := p.etcd.List(ctx, proofKeys+"stacks/", 2*proofStacks)
	holders := map[string]lease.Holder{}
	for _, r := range list {
		var h lease.Holder
		if err := json.Unmarshal(r.Value, &h); err != nil {
			return nil, err
		}
		holders[r.Key] = h
	}
	return holders, err
}

func (p *proof) holds(stack string) (string, error) {
	holders, err := p.holders()
	return holders[stack].Agent, err
}

// fault is a fault that lasts for a while.
type fault struct {
	name       string
	begin, end func()
	most       time.Duration // its maximum duration
}

// suffer makes one fault after another.
func (p *proof) suffer(ctx context.Context, random *rand.Rand, faults func(*rand.Rand) fault) {
	for wait(ctx, between(random, p.lease/3, 3*p.lease/2)) {
		f := faults(random)
		lasts := between(random, p.lease/12, f.most)
		p.note(f.name, lasts)
		f.begin()
		wait(ctx, lasts)
		f.end()
	}
}

func wait(ctx context.Context, d time.Duration) (more bool) {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func between(random *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(random.Int64N(int64(most-least)))
}

func (p *proof) note(what string, lasts time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, sort, _ := strings.Cut(what, " is ")
	p.faults[sort]++
	p.t.Logf("%6.1f s: %s for %.1f s", time.Since(p.began).Seconds(), what, lasts.Seconds())
}

// agentFaults returns the faults of an agent. To stop it between a read and a write, the cloud answers, but the agent receives the answers
// only after it continues.
func (p *proof) agentFaults(a *contender) func(*rand.Rand) fault {
	return func(random *rand.Rand) fault {
		switch random.IntN(4) {
		case 0:
			return fault{a.name + " is killed", func() { a.end(syscall.SIGKILL) }, a.start, p.lease}
		case 1:
			return fault{a.name + " is ended", func() { a.end(syscall.SIGTERM) }, a.start, p.lease}
		case 2:
			return fault{a.name + " is stopped", func() {
				a.gate.close()
				wait(p.t.Context(), time.Second) // so that requests which the agent is about to send are sent
				a.signal(syscall.SIGSTOP)
				a.gate.open()
			}, func() { a.signal(syscall.SIGCONT) }, 2 * p.lease}
		}
		cut := func(cut bool) func() {
			return func() {
				if err := a.cut(cut); err != nil {
					p.t.Error(err)
				}
			}
		}
		return fault{a.name + " is cut off from etcd", cut(true), cut(false), 2 * p.lease}
	}
}

// memberFaults returns the faults of one member of etcd. The other two members continue.
func (p *proof) memberFaults(random *rand.Rand) fault {
	m := p.members[random.IntN(len(p.members))]
	if random.IntN(2) == 0 {
		return fault{"a member of etcd is killed", func() { m.end(syscall.SIGKILL) }, m.start, p.lease}
	}
	return fault{"a member of etcd is stopped", func() { m.signal(syscall.SIGSTOP) }, func() { m.signal(syscall.SIGCONT) }, p.lease / 2}
}

// change makes commits as people do, and changes in the cloud as others do.
func (p *proof) change(ctx context.Context, random *rand.Rand) {
	stacks := slices.Sorted(maps.Keys(p.written))
	for wait(ctx, between(random, 2*time.Second, 8*time.Second)) {
		if random.IntN(2) == 0 {
			p.drift(stacks[random.IntN(len(stacks))], random)
			continue
		}
		for range 4 + random.IntN(9) {
			p.edit(stacks[random.IntN(len(stacks))])
		}
		p.Commit()
		p.commits++
	}
}

// drift changes an object of a stack, or deletes its port, if it exists yet. It does not change the description of a network that is being
// created, because the description may still contain the mark. Without the mark, nobody could know to which stack the network belongs.
func (p *proof) drift(stack string, random *rand.Rand) {
	if port, err := p.cloud.one("port", "show", stack); err == nil && random.IntN(2) == 0 {
		p.say(p.cloud.ask(http.MethodDelete, "/network/v2.0/ports/"+port.text("id"), nil, ""))
		p.drifts++
		return
	}
	for _, n := range p.objects("network") {
		if n.text("name") == stack && strings.HasPrefix(n.text("description"), "change ") {
			p.say(p.cloud.ask(http.MethodPut, "/network/v2.0/networks/"+n.text("id"), map[string]any{"network": map[string]string{"description": "somebody was here"}}, ""))
			p.drifts++
		}
	}
}

func (p *proof) say(_ json.RawMessage, err error) {
	if err != nil {
		p.t.Log("no drift: ", err) // the agent was faster
	}
}

// objects returns the cloud's objects of a kind.
func (p *proof) objects(kind string) (list []thing) {
	text, err := p.cloud.ask(http.MethodGet, "/network/v2.0/"+kind+"s", nil, kind+"s")
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		p.t.Error(err)
	}
	return list
}

// clear deletes the objects of the stacks, because they would remain in a real cloud.
func (p *proof) clear() {
	for _, kind := range []string{"port", "network"} { // a network is deleted together with its subnets
		for _, o := range p.objects(kind) {
			if p.written[o.text("name")] > 0 {
				p.say(p.cloud.ask(http.MethodDelete, "/network/v2.0/"+kind+"s/"+o.text("id"), nil, ""))
			}
		}
	}
}

// settles waits until the agents report that all stacks are in sync with the last commit, and the cloud equals Git.
func (p *proof) settles() {
	ctx, cancel := context.WithTimeout(p.t.Context(), 15*p.lease)
	defer cancel()
	healed, missing := time.Now(), ""
	for wait(ctx, time.Second) {
		if missing = p.missing(); missing == "" {
			p.t.Logf("%6.1f s: all is as is written, %.0f s after the last fault", time.Since(p.began).Seconds(), time.Since(healed).Seconds())
			return
		}
	}
	p.t.Errorf("never: %s", missing)
}

// missing returns the differences from Git, or "".
func (p *proof) missing() string {
	head, err := exec.CommandContext(p.t.Context(), "git", "-C", p.Path("repo"), "rev-parse", "HEAD").Output()
	if err != nil {
		return err.Error()
	}
	commit := strings.TrimSpace(string(head))
	holders, err := p.holders()
	if err != nil {
		return err.Error()
	}
	for stack := range p.written {
		if h := holders[stack]; h.Summary.Outcome != "in sync" || h.Summary.Commit != commit {
			return fmt.Sprintf("%s is %q at %q, says %q", stack, h.Summary.Outcome, h.Summary.Commit, h.Agent)
		}
	}
	for _, kind := range []string{"network", "subnet", "port"} {
		seen := map[string]int{}
		for _, o := range p.objects(kind) {
			stack := o.text("name")
			if seen[stack]++; p.written[stack] > 0 && (seen[stack] > 1 || o.text("description") != describes(p.written[stack])) {
				return fmt.Sprintf("the %d. %s of %s is %q, want %q", seen[stack], kind, stack, o.text("description"), describes(p.written[stack]))
			}
		}
		for stack := range p.written {
			if seen[stack] != 1 {
				return fmt.Sprintf("%s has no %s", stack, kind)
			}
		}
	}
	return ""
}

// verdict reports the result.
func (p *proof) verdict() {
	v := p.judge(p.lease/4, proofClock)
	for _, wrong := range v.wrong {
		p.t.Error(wrong)
	}
	took, refused := 0, 0
	for _, a := range p.agents {
		a.counted.Lock()
		took, refused = took+a.counted.took, refused+a.counted.refused
		a.counted.Unlock()
	}
	p.t.Logf("faults: %v; %d commits, %d drifts; stacks were taken %d times; %d writes, of which %d came while etcd did not say in time whose the stack was; writes refused: %d",
		p.faults, p.commits, p.drifts, took, v.writes, v.unsure, refused)
	p.t.Logf("the writer of a stack changed %d times, %d of them in order; the shortest time between two writers without that: %s, promised: %s", v.changes, v.orders, v.shortest.Round(time.Millisecond), p.lease/4)
	p.t.Logf("that was %s:\n%s", v.closest, strings.Join(p.story(v.closest), "\n"))
}
