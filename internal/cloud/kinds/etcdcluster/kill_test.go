package etcdcluster_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// reaper kills an agent right after its n-th write request to the cloud or to etcd.
type reaper struct {
	mu   sync.Mutex
	left int
	die  context.CancelFunc
	next http.RoundTripper
}

var errDead = errors.New("the agent was killed")

// counts is called for each write request. dead reports whether the agent is dead.
func (r *reaper) counts() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left--; r.left == 0 {
		r.die()
	}
}

func (r *reaper) dead() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.left <= 0 }

func (r *reaper) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.dead() {
		return nil, errDead
	}
	resp, err := r.next.RoundTrip(req)
	if req.Method != http.MethodGet && req.Method != http.MethodHead && !strings.HasSuffix(req.URL.Path, "/auth/tokens") {
		if r.counts(); r.dead() && err == nil {
			_ = resp.Body.Close() // the agent is dead and will not read it
			return nil, errDead
		}
	}
	return resp, err
}

// killed runs an agent that dies after its n-th write request, and reports whether it sent that many.
func (w *world) killed(manifests string, n int) (reached bool) {
	w.t.Helper()
	ctx, die := context.WithCancel(context.WithoutCancel(w.t.Context()))
	defer die()
	r := &reaper{left: n, die: die}
	w.OnRequest(r.counts)
	defer w.OnRequest(nil)
	c := w.Client(func(next http.RoundTripper) http.RoundTripper { r.next = next; return r })
	w.Engine(c).Sync(ctx, engine.Revision{Commit: "test", Want: w.Resolve(manifests)})
	return r.dead()
}

// comes runs a newly started agent. It may need a second pass, because a pass deletes only objects that its first plan
// has shown.
func (w *world) comes(manifests string) {
	w.t.Helper()
	var pass engine.Pass
	for range 2 {
		if pass = w.Sync(manifests); pass.Outcome() == plan.InSync {
			return
		}
	}
	w.t.Fatalf("%s: %v; left: %v", pass.Outcome(), pass.Failures, kindtest.Writes(pass.Last))
}

func upgraded(manifests string) string { return strings.Replace(manifests, "3.5.35", "3.6.16", 1) }

// An agent dies after each write request of a change, to the cloud or to etcd. The next agent knows nothing of it, and
// reaches the same result. Members change one at a time, and the majority is never lost: otherwise the simulator records
// a violation. The test takes long, because each of these deaths needs another cluster.
func TestAgentsDieAfterEachRequestOfAChange(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	for name, c := range map[string]struct {
		before, after string
		size          int
	}{
		"fewer members":   {sized(3), sized(1), 1},
		"another version": {sized(3), upgraded(sized(3)), 3},
		"both":            {sized(3), upgraded(sized(2)), 2},
	} {
		t.Run(name, func(t *testing.T) {
			requests := -1
			for reached := true; reached && !t.Failed(); requests++ {
				w := newWorld(t)
				w.MustSync(c.before)
				reached = w.killed(c.after, requests+2)
				w.comes(c.after)
				if w.settled(c.size); t.Failed() {
					t.Errorf("after request %d", requests+2)
				}
			}
			if t.Logf("%d requests", requests); requests < 12 {
				t.Error("these are too few")
			}
		})
	}
}

// The simulator records a violation if a machine is deleted while another member does not run or has not joined yet.
func TestWhatIsWrittenDown(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(3))
	w.ends.mu.Lock()
	w.ends.gone[w.ids("servers", "kv-1")[0]] = true
	w.ends.mu.Unlock()
	w.remove("servers", "kv-0")
	if sins := w.Sins(); len(sins) != 1 || !strings.Contains(sins[0], "kv-0 was interrupted while kv-1 did not run") {
		t.Errorf("it has %q", sins)
	}
}
