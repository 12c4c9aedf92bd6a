package kindtest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

var errKilled = errors.New("the agent was killed")

// killer is a layer that lets a number of writing requests through and nothing after them. So it
// seems that the process was killed before it read the last answer.
type killer struct {
	mu   sync.Mutex
	left int
	die  context.CancelFunc
	next http.RoundTripper
}

func (k *killer) wrap(next http.RoundTripper) http.RoundTripper {
	k.next = next
	return k
}

// RoundTrip implements http.RoundTripper.
func (k *killer) RoundTrip(req *http.Request) (*http.Response, error) {
	if !writes(req) {
		if k.dead() {
			return nil, errKilled
		}
		return k.next.RoundTrip(req)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left == 0 {
		return nil, errKilled
	}
	resp, err := k.next.RoundTrip(req)
	if k.left--; k.left == 0 {
		k.die()
		if err == nil {
			_ = resp.Body.Close() // nobody will read it
		}
		return nil, errKilled
	}
	return resp, err
}

func (k *killer) dead() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.left == 0
}

func writes(req *http.Request) bool {
	return !reads(req) && !strings.HasSuffix(req.URL.Path, "/auth/tokens")
}

// killed is a law. It creates the object again and again, and each time kills the agent one writing
// request later. A new agent then finishes the work. It must not report the half-made object as
// changed by people. The law ends when a kill comes so late that the new agent has nothing to
// write.
func (s Suite) killed(t *testing.T, g *Target) {
	for n, more := 1, true; more; n = s.nextWrite(g, n) {
		g.MustSync(s.Needs)
		more = g.SyncUntilKilled(s.all(), n)
		var after Counter
		pass := g.SyncThrough(s.all(), after.Wrap)
		untouched(t, pass, n)
		s.oneOfEach(t, pass, n)
		more = more && after.Writes.Load() > 0
	}
}

// editKilled does the same with every edit. It runs only on the simulator.
func (s Suite) editKilled(t *testing.T, g *Target) {
	testcost.Long(t)
	if g.Simulator == nil {
		t.Skip("it takes a real cloud too long")
	}
	for _, e := range s.edits(t) {
		if e.PlanOnly {
			continue
		}
		t.Run(strings.TrimSpace(e.Field+" "+e.Way), func(t *testing.T) {
			g, edited := g.In(t), s.edit(t, e)
			for n, more := 1, true; more; n++ {
				g.MustSync(s.start(e))
				more = g.SyncUntilKilled(edited, n)
				var after Counter
				pass := g.SyncThrough(edited, after.Wrap)
				// An object that refers to a replaced one differs in the same way as if somebody
				// had changed it. After a restart, nothing in the cloud distinguishes the two
				// cases.
				if !e.Replaces {
					untouched(t, pass, n)
				}
				s.oneOfEach(t, pass, n)
				more = more && after.Writes.Load() > 0
			}
		})
	}
}

// untouched checks that a later pass reports no drift.
func untouched(t *testing.T, pass engine.Pass, n int) {
	t.Helper()
	for _, step := range slices.Concat(pass.First.Steps, pass.LateDrift) {
		if step.Drift {
			t.Errorf("after %d writes: %s is said to be changed in the cloud, and nobody touched it: %s", n, step.Key, describe(step.Changes))
		}
	}
}

// oneOfEach checks that a later pass ended in sync, and that no object was created twice.
func (s Suite) oneOfEach(t *testing.T, pass engine.Pass, n int) {
	t.Helper()
	if pass.Outcome() != plan.InSync {
		t.Fatalf("after %d writes: %s: %v\nleft: %v", n, pass.Outcome(), pass.Failures, unfinishedSteps(pass.Last))
	}
	managed := 0
	for _, step := range pass.Last.Steps {
		if step.ID() != "" && !step.Unmanaged() {
			managed++
		}
		if step.Action == plan.Delete {
			t.Errorf("after %d writes: a surplus copy was left: %s", n, step.Key)
		}
	}
	if pass.Last.Owned != managed {
		t.Errorf("after %d writes: the stack owns %d objects, want %d", n, pass.Last.Owned, managed)
	}
	for _, step := range pass.First.Steps { // an edit may remove a part of the object
		if step.Action == plan.Delete && !step.Causes.Has(cause.Gone) && step.Within.Kind == "" {
			t.Errorf("after %d writes: %s was there twice", n, step.Key)
		}
	}
}

// loser is a layer that drops the answer to one writing request after the cloud has carried it out.
type loser struct {
	mu    sync.Mutex
	at    int
	after int // number of writing requests after that one
	next  http.RoundTripper
}

func (l *loser) wrap(next http.RoundTripper) http.RoundTripper {
	l.next = next
	return l
}

// RoundTrip implements http.RoundTripper.
func (l *loser) RoundTrip(req *http.Request) (*http.Response, error) {
	if !writes(req) {
		return l.next.RoundTrip(req)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	resp, err := l.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if l.at == 0 {
		l.after++
		return resp, nil
	}
	if l.at--; l.at == 0 {
		_ = resp.Body.Close() // the answer is lost
		return nil, errors.New("connection reset by peer")
	}
	return resp, nil
}

// lostAnswers is a law. It creates the object again and again, and each time the answer to another request
// is lost. The same agent must finish the work. The law ends when no writing request follows the
// lost answer.
func (s Suite) lostAnswers(t *testing.T, g *Target) {
	for n, more := 1, true; more; n = s.nextWrite(g, n) {
		g.MustSync(s.Needs)
		l := &loser{at: n}
		if pass := g.SyncThrough(s.all(), l.wrap); pass.Outcome() != plan.InSync {
			t.Errorf("answer %d lost: %s: %v", n, pass.Outcome(), pass.Failures)
		}
		s.oneOfEach(t, g.Sync(s.all()), n)
		more = l.after > 0
	}
}
