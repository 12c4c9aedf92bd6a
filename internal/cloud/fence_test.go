package cloud_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// counted is a layer that counts the requests that change something, except logins.
type counted struct {
	next   http.RoundTripper
	writes int
	ended  bool // whether the context of the last one has ended
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

// If the fence forbids writes, no write is sent, but logins and reads are. A write that is being sent ends when the
// fence begins to forbid writes.
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

// The same fence stops requests to services on machines, such as the members of a cluster. It stops only requests
// that may change something.
func TestNothingIsWrittenToMachinesBehindAFence(t *testing.T) {
	down, dialled := errors.New("another agent may serve the stack"), 0
	var gone error
	fence := func(ctx context.Context) (context.Context, error) { return ctx, gone }
	nobody := func(context.Context, string, string) (net.Conn, error) { dialled++; return nil, net.ErrClosed }
	write(t, "clouds.yaml", string(start(t, simulator.Options{}).CloudsYAML()))
	c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo", Fence: fence, Machines: outbound.Machines{Through: nobody}})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method string) error {
		req, err := http.NewRequestWithContext(t.Context(), method, "http://10.0.0.1:2379/v3/cluster/member/add", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Machines.DoTrusting(req, nil)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}
	if err := ask(http.MethodPost); !errors.Is(err, net.ErrClosed) || dialled != 1 {
		t.Fatalf("with the right to write: %v, %d connections", err, dialled)
	}
	gone = down
	if err := ask(http.MethodPost); !errors.Is(err, down) || dialled != 1 {
		t.Errorf("without it: %v, %d connections", err, dialled)
	}
	if err := ask(http.MethodGet); !errors.Is(err, net.ErrClosed) || dialled != 2 {
		t.Errorf("a read: %v, %d connections", err, dialled)
	}
}
