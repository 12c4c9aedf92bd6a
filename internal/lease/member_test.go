package lease

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

// world contains the store of leases, the agents, and a record of their writes.
type world struct {
	t      *testing.T
	keys   keys
	stacks []string
	tells  func() string // returns the summary of every stack

	mu      sync.Mutex
	writes  map[string][]string // by stack: the agents that wrote, without repetitions
	refused map[string]int      // by agent
	serving map[string]map[string]bool
	began   map[string]int // by stack: the number of times that an agent began to serve it
	count   int
	deleted string // the key that a person has deleted
}

func newWorld(t *testing.T, k keys, stacks int) *world {
	w := &world{t: t, tells: func() string { return "in sync" }, keys: k, writes: map[string][]string{}, refused: map[string]int{}, serving: map[string]map[string]bool{}, began: map[string]int{}}
	for i := range stacks {
		w.stacks = append(w.stacks, fmt.Sprintf("stack-%02d", i))
	}
	return w
}

// agent is one of several agents: a process with connections to the store of leases and to the cloud.
type agent struct {
	*Member
	w    *world
	stop context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	stopped chan struct{} // set while the agent is stopped, as by SIGSTOP; nil while it runs.
	cut     bool          // whether it is cut off from the store of leases.
	unable  string        // a stack that it cannot serve: serving it ends after nine seconds without a request
	slow    time.Duration // time that each request to the store takes
}

// RoundTrip simulates the connection to the store of leases.
func (a *agent) RoundTrip(req *http.Request) (*http.Response, error) {
	a.wait()
	a.mu.Lock()
	cut, slow := a.cut, a.slow
	a.mu.Unlock()
	if slow > 0 {
		time.Sleep(slow)
	}
	if cut {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	resp, err := a.w.keys.RoundTrip(req)
	a.wait()
	return resp, err
}

func (a *agent) wait() {
	a.mu.Lock()
	stopped := a.stopped
	a.mu.Unlock()
	if stopped != nil {
		<-stopped
	}
}

func (a *agent) sigstop()        { a.mu.Lock(); a.stopped = make(chan struct{}); a.mu.Unlock() }
func (a *agent) sigcont()        { a.mu.Lock(); close(a.stopped); a.stopped = nil; a.mu.Unlock() }
func (a *agent) cannot() string  { a.mu.Lock(); defer a.mu.Unlock(); return a.unable }
func (a *agent) fails(at string) { a.mu.Lock(); defer a.mu.Unlock(); a.unable = at }
func (a *agent) cutOff(cut bool) { a.mu.Lock(); a.cut = cut; a.mu.Unlock() }

// serve reads and writes the stack every second. After serving was told to end, work that has begun continues for some time.
func (a *agent) serve(ctx context.Context, h *Hold) {
	a.w.serves(a.Name, h.Stack, true)
	defer a.w.serves(a.Name, h.Stack, false)
	if h.Stack == a.cannot() {
		pause(ctx, 9*time.Second)
		return
	}
	for {
		pause(ctx, time.Second) // this is the read
		if ctx.Err() != nil {
			time.Sleep(h.Grace / 2)
		}
		a.wait()
		a.w.write(a.Name, h)
		select {
		case <-h.Leave():
			return
		case <-ctx.Done():
			return
		default:
		}
	}
}

func (w *world) serves(agent, stack string, on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.serving[stack] == nil {
		w.serving[stack] = map[string]bool{}
	}
	if on {
		w.serving[stack][agent] = true
		w.began[stack]++
	} else {
		delete(w.serving[stack], agent)
	}
}

// write simulates a write to the cloud, after a check of the hold. The simulated cloud knows which agent has the stack.
func (w *world) write(agent string, h *Hold) {
	_, err := h.Within(w.t.Context())
	holder := w.keys.Value("stacks/" + h.Stack)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.refused[agent]++
		return
	}
	w.count++
	if !strings.Contains(string(holder), `"agent":"`+agent+`"`) && (h.Stack != w.deleted || holder != nil) {
		w.t.Errorf("%s writes %s, which is held by %q", agent, h.Stack, holder)
	}
	if n := len(w.writes[h.Stack]); n == 0 || w.writes[h.Stack][n-1] != agent {
		w.writes[h.Stack] = append(w.writes[h.Stack], agent)
	}
}

func (w *world) start(name string) *agent {
	w.t.Helper()
	a := &agent{w: w, done: make(chan struct{})}
	a.Member = &Member{
		Agent: Agent{Name: name, Address: "http://" + name}, Stacks: w.stacks, Periods: Periods{time.Minute}, Log: slog.New(slog.DiscardHandler),
		Store: w.keys.store(w.t, a), Serve: a.serve, Summary: func(string) Summary { return Summary{Outcome: w.tells()} },
	}
	ctx, stop := context.WithCancel(w.t.Context())
	a.stop = stop
	go func() { a.Run(ctx); close(a.done) }()
	return a
}

// wrote returns the agents that wrote each stack, in order.
func (w *world) wrote() map[string][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.writes)
}

// written returns the number of writes.
func (w *world) written() int { w.mu.Lock(); defer w.mu.Unlock(); return w.count }

// turnedDown returns the number of refused writes of an agent.
func (w *world) turnedDown(agent string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refused[agent]
}

// isServed reports whether an agent serves a stack.
func (w *world) isServed(stack, by string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.serving[stack][by]
}

// end ends an agent like SIGTERM.
func (a *agent) end() { a.stop(); <-a.done }

// served counts the stacks that each agent serves. A stack that no agent or more than one serves is an error.
func (w *world) served() map[string]int {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	count := map[string]int{}
	for _, stack := range w.stacks {
		if who := slices.Collect(maps.Keys(w.serving[stack])); len(who) != 1 {
			w.t.Errorf("%s is served by %q", stack, who)
		} else {
			count[who[0]]++
		}
	}
	return count
}

func three(w *world) (a, b, c *agent) { return w.start("a"), w.start("b"), w.start("c") }

func TestThreeAgentsShareStacks(t *testing.T) {
	onEach(t, func(t *testing.T, k keys) {
		w := newWorld(t, k, 40)
		a, b, c := three(w)
		time.Sleep(55 * time.Second)
		if n := w.served(); n["a"] < 5 || n["b"] < 5 || n["c"] < 5 {
			t.Errorf("served: %v", n)
		}
		for stack, who := range w.wrote() {
			if len(who) != 1 || who[0] != Preferred([]string{"a", "b", "c"}, stack) {
				t.Errorf("%s was written by %v", stack, who)
			}
		}
		if h, ok := a.ServedByOther(b.held(t)); !ok || h.Agent != "b" || h.Address != "http://b" || h.Summary.Outcome != "in sync" {
			t.Errorf("a knows of b: %+v", h)
		}
		b.end() // its stacks are free immediately
		time.Sleep(25 * time.Second)
		if n := w.served(); n["a"]+n["c"] != 40 || n["b"] != 0 {
			t.Errorf("served after b has ended: %v", n)
		}
		b = w.start("b")
		time.Sleep(45 * time.Second)
		if n := w.served(); n["b"] != 0 {
			t.Errorf("an agent that has just come gets stacks: %v", n)
		}
		time.Sleep(time.Minute)
		if n := w.served(); n["b"] < 5 {
			t.Errorf("served after b has come back: %v", n)
		}
		for stack, who := range w.wrote() {
			if len(who) > 3 {
				t.Errorf("%s goes to and fro: %v", stack, who)
			}
		}
		for _, one := range []*agent{a, b, c} {
			one.end()
		}
		if left := w.keys.Names(); len(left) > 0 {
			t.Errorf("keys that are left: %v", left)
		}
	})
}

// held returns a stack that the agent serves.
func (a *agent) held(t *testing.T) string {
	for stack, h := range a.View().Stacks {
		if h.Agent == a.Name {
			return stack
		}
	}
	t.Fatalf("%s serves nothing", a.Name)
	return ""
}

// TestAttackStoppedAgentWritesNothingWhenItWakes stops an agent between a read and its write. When the agent continues, other agents serve its
// stacks, so it must write nothing.
func TestAttackStoppedAgentWritesNothingWhenItWakes(t *testing.T) {
	testcost.Long(t)
	onEach(t, func(t *testing.T, k keys) {
		w := newWorld(t, k, 20)
		a, b, c := three(w)
		time.Sleep(30 * time.Second)
		mine := w.served()["b"]
		b.sigstop()
		time.Sleep(3 * time.Minute)
		before := w.turnedDown("b")
		b.sigcont()
		synctest.Wait()
		if n := w.turnedDown("b") - before; n != mine {
			t.Errorf("%d of %d writes of the agent that woke were refused", n, mine)
		}
		time.Sleep(3 * time.Minute)
		if n := w.served(); n["b"] != mine {
			t.Errorf("served after it is back: %v", n)
		}
		for _, one := range []*agent{a, b, c} {
			one.end()
		}
	})
}

// TestAgentThatIsCutOff has an agent that cannot reach etcd. The agent starts nothing after a quarter of its TTL, and writes nothing after
// three quarters. Other agents take over its stacks when its lease has ended.
func TestAgentThatIsCutOff(t *testing.T) {
	testcost.Long(t)
	onEach(t, func(t *testing.T, k keys) {
		w := newWorld(t, k, 20)
		a, b, c := three(w)
		time.Sleep(30 * time.Second)
		b.cutOff(true)
		time.Sleep(46 * time.Second)
		for _, stack := range w.stacks {
			if w.isServed(stack, "b") {
				t.Errorf("%s is still served", stack)
			}
		}
		time.Sleep(45 * time.Second)
		if n := w.served(); n["a"]+n["c"] != 20 {
			t.Errorf("served: %v", n)
		}
		b.cutOff(false)
		time.Sleep(3 * time.Minute)
		if n := w.served(); n["b"] == 0 {
			t.Errorf("served after it is back: %v", n)
		}
		for _, one := range []*agent{a, b, c} {
			one.end()
		}
	})
}

// TestAnAgentThatWasKilledComesBack kills and restarts the only agent. When the old lease has ended, the agent gets its name and its stacks
// back.
func TestAnAgentThatWasKilledComesBack(t *testing.T) {
	onEach(t, func(t *testing.T, k keys) {
		w := newWorld(t, k, 5)
		killed := w.start("a")
		time.Sleep(30 * time.Second)
		before := killed.View().Agents["a"].lease
		killed.sigstop()
		again := w.start("a")
		time.Sleep(45 * time.Second)
		if n := len(again.View().Agents); n > 0 {
			t.Error("two processes have one name")
		}
		time.Sleep(75 * time.Second)
		v := again.View()
		for _, stack := range w.stacks {
			if now := v.Agents["a"].lease; now == 0 || now == before || v.Stacks[stack].lease != now {
				t.Errorf("%s is not served by the new process", stack)
			}
		}
		killed.sigcont() // the killed process notices that its lease has ended
		killed.end()
		again.end()
	})
}

// TestMuchToTellOnASlowWay has an agent with many summaries to write and a slow connection to etcd. The agent renews its lease before it has
// written all of them. It loses no stack, and writes the summary of every stack in turn.
func TestMuchToTellOnASlowWay(t *testing.T) {
	testcost.Long(t)
	onEach(t, func(t *testing.T, k keys) {
		w := newWorld(t, k, 40)
		w.tells = func() string { return time.Now().String() }
		a := w.start("a")
		time.Sleep(30 * time.Second)
		a.mu.Lock()
		a.slow = 500 * time.Millisecond
		a.mu.Unlock()
		said := map[string]string{}
		for range 5 {
			time.Sleep(time.Minute)
			for _, stack := range w.stacks {
				now := string(w.keys.Value("stacks/" + stack))
				if !w.isServed(stack, "a") || now == said[stack] {
					t.Errorf("%s is served: %v; it says %s, as a minute ago", stack, w.isServed(stack, "a"), now)
				}
				said[stack] = now
			}
		}
		if n := w.turnedDown("a"); n > 0 {
			t.Errorf("%d writes were refused", n)
		}
		a.end()
	})
}

// TestEtcdIsAway makes etcd unavailable for some time, so that no stack is served. If etcd is back before the leases have ended, the agents
// serve the same stacks as before.
func TestEtcdIsAway(t *testing.T) {
	onEach(t, func(t *testing.T, k keys) {
		w := newWorld(t, k, 10)
		a, b, c := three(w)
		time.Sleep(31 * time.Second) // the leases were renewed a second ago
		before := w.served()
		w.keys.Away(true)
		time.Sleep(45 * time.Second)
		n := w.written()
		time.Sleep(3 * time.Second)
		if w.written() != n {
			t.Error("something is written although no lease was renewed for 45 seconds")
		}
		w.keys.Away(false)
		time.Sleep(time.Minute)
		if after := w.served(); !maps.Equal(before, after) {
			t.Errorf("served before %v, after %v", before, after)
		}
		for _, one := range []*agent{a, b, c} {
			one.end()
		}
	})
}

// starts returns the number of times that an agent started to serve a stack.
func (w *world) starts(stack string) int { w.mu.Lock(); defer w.mu.Unlock(); return w.began[stack] }

// TestAStackThatCannotBeServed has an agent that cannot serve one stack. The agent tries that stack again, and serves the others meanwhile.
// If there is another agent, that agent finally gets the stack, and does not lose it again.
func TestAStackThatCannotBeServed(t *testing.T) {
	testcost.Long(t)
	onEach(t, func(t *testing.T, k keys) {
		w := newWorld(t, k, 10)
		a := w.start("a")
		broken := w.stacks[0]
		for _, stack := range w.stacks {
			if Preferred([]string{"a", "b"}, stack) == "a" {
				broken = stack
			}
		}
		a.fails(broken)
		time.Sleep(5 * time.Minute)
		if n := w.starts(broken); n < 10 || n > 40 {
			t.Errorf("it was tried %d times in five minutes", n)
		}
		b := w.start("b")
		time.Sleep(5 * time.Minute)
		tried := w.starts(broken)
		time.Sleep(10 * time.Minute)
		if n := w.served(); n["a"]+n["b"] != 10 || n["a"] == 0 || !w.isServed(broken, "b") || w.starts(broken) != tried {
			t.Errorf("served: %v, the one that a cannot serve by b: %v, for ten minutes: %v", n, w.isServed(broken, "b"), w.starts(broken) == tried)
		}
		for _, stack := range w.stacks {
			if n := w.starts(stack); stack != broken && n > 2 {
				t.Errorf("%s was begun %d times", stack, n)
			}
		}
		for _, one := range []*agent{a, b} {
			one.end()
		}
	})
}

// TestAttackKeysAndNames has a person who removes the key of a stack, and two processes with one name.
func TestAttackKeysAndNames(t *testing.T) {
	onEach(t, func(t *testing.T, k keys) {
		w := newWorld(t, k, 10)
		a, b := w.start("a"), w.start("b")
		time.Sleep(30 * time.Second)
		w.mu.Lock()
		w.deleted = a.held(t)
		w.mu.Unlock()
		w.keys.Delete("stacks/" + w.deleted)
		w.keys.Delete("agents/b")
		time.Sleep(time.Minute)
		w.served()
		twin := w.start("b")
		time.Sleep(3 * time.Minute)
		if names := w.keys.Names(); len(names) != 12 || len(twin.View().Agents) != 0 {
			t.Errorf("a second agent of one name takes part: %v", names)
		}
		w.served()
		for _, one := range []*agent{a, b, twin} {
			one.end()
		}
	})
}
