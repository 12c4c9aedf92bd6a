package cloud_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// counted counts the requests that change something, but for logins.
type counted struct {
	next   http.RoundTripper
	writes int
	ended  bool // the context of the last one has ended
}

func (c *counted) wrap(next http.RoundTripper) http.RoundTripper { c.next = next; return c }

func (c *counted) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet && !strings.HasSuffix(req.URL.Path, "/auth/tokens") {
		c.writes++
		if c.ended {
			<-req.Context().Done()
		}
	}
	return c.next.RoundTrip(req)
}

// Behind a fence that is down logins and reads go on, and no write is sent; a write in flight ends when it comes down.
func TestNothingIsWrittenBehindAFence(t *testing.T) {
	down := errors.New("another agent may serve the stack")
	var gone error
	dead, kill := context.WithCancel(t.Context())
	fence := func(ctx context.Context) (context.Context, error) {
		ctx, cancel := context.WithCancel(ctx)
		context.AfterFunc(dead, cancel)
		return ctx, gone
	}
	var seen counted
	write(t, "clouds.yaml", string(start(t, simulator.Options{}).CloudsYAML()))
	c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo", Fence: fence, Wrap: seen.wrap})
	if err != nil {
		t.Fatal(err)
	}
	create := func() error {
		return c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: "POST", Path: "networks", Body: map[string]any{"network": map[string]any{"name": "n"}}})
	}
	if err := create(); err != nil || seen.writes != 1 {
		t.Fatalf("with the right to write: %v, %d writes", err, seen.writes)
	}
	gone = down
	if err := create(); !errors.Is(err, down) || seen.writes != 1 {
		t.Errorf("without it: %v, %d writes", err, seen.writes)
	}
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: "GET", Path: "networks"}); err != nil {
		t.Errorf("a read: %v", err)
	}
	gone, seen.ended = nil, true
	go func() { kill() }()
	if err := create(); err == nil {
		t.Error("a write in flight does not end")
	}
}
