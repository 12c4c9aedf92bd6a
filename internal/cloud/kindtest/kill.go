package kindtest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile"
)

var errKilled = errors.New("the agent was killed")

// killer lets so many writing requests through and nothing after them, as if
// the process had died when the last answer came in.
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
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left == 0 {
		return nil, errKilled
	}
	resp, err := k.next.RoundTrip(req)
	if writes(req) {
		if k.left--; k.left == 0 {
			k.die()
			return nil, errKilled
		}
	}
	return resp, err
}

func writes(req *http.Request) bool {
	return req.Method != http.MethodGet && !strings.HasSuffix(req.URL.Path, "/auth/tokens")
}

// killed runs the creation of the object again and again, each time dying one
// writing request later, and then a new agent that finds what is there.
func (s Suite) killed(t *testing.T) {
	for n := 1; ; n++ {
		g := s.target(t)
		g.MustSync(s.Needs)
		reached := g.SyncUntilKilled(s.all(), n)
		s.oneOfEach(t, g, n)
		g.MustSync("")
		if !reached {
			return
		}
	}
}

// oneOfEach lets a new agent finish, and counts.
func (s Suite) oneOfEach(t *testing.T, g *Target, n int) {
	t.Helper()
	pass := g.MustSync(s.all())
	managed := 0
	for _, step := range pass.Last.Steps {
		if step.ID() != "" && !step.Unmanaged() {
			managed++
		}
		if step.Action == reconcile.Delete {
			t.Errorf("killed after %d writes: a surplus copy was left: %s", n, step.Key)
		}
	}
	if pass.Last.Owned != managed {
		t.Errorf("killed after %d writes: the stack owns %d objects, want %d", n, pass.Last.Owned, managed)
	}
	for _, step := range pass.First.Steps {
		if step.Action == reconcile.Delete {
			t.Errorf("killed after %d writes: %s was there twice", n, step.Key)
		}
	}
}

// loser swallows the answer to one writing request after the cloud has done
// what it asked.
type loser struct {
	mu   sync.Mutex
	at   int
	next http.RoundTripper
}

func (l *loser) wrap(next http.RoundTripper) http.RoundTripper {
	l.next = next
	return l
}

// RoundTrip implements http.RoundTripper.
func (l *loser) RoundTrip(req *http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	resp, err := l.next.RoundTrip(req)
	if !writes(req) || err != nil {
		return resp, err
	}
	if l.at--; l.at == 0 {
		_ = resp.Body.Close() // the answer is lost
		return nil, errors.New("connection reset by peer")
	}
	return resp, nil
}

// lost repeats the creation, each time losing the answer to another request;
// the same agent must see it through.
func (s Suite) lost(t *testing.T) {
	for n := 1; ; n++ {
		g := s.target(t)
		g.MustSync(s.Needs)
		l := &loser{at: n}
		if pass := g.SyncThrough(s.all(), l.wrap); pass.Outcome() != reconcile.InSync {
			t.Errorf("answer %d lost: %s: %v", n, pass.Outcome(), pass.Failures)
		}
		s.oneOfEach(t, g, n)
		g.MustSync("")
		if l.at > 0 {
			return
		}
	}
}
