package cloud_test

import (
	"net/http"
	"net/http/httptrace"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// dialled is a layer that counts the requests that needed a new connection.
type dialled struct {
	next http.RoundTripper
	n    atomic.Int64
}

func (d *dialled) wrap(next http.RoundTripper) http.RoundTripper {
	d.next = next
	return d
}

// RoundTrip implements http.RoundTripper.
func (d *dialled) RoundTrip(req *http.Request) (*http.Response, error) {
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if !info.Reused {
			d.n.Add(1)
		}
	}}
	return d.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
}

// A Neutron or Cinder that runs on eventlet accepts 100 connections at the same time, and an idle
// connection counts until it is closed. So an agent must not open a new connection for each
// request. The cloud is the one that STACKREEVE_TEST_CLOUD names, or a simulator.
func TestCloudConnectionsAreTakenOver(t *testing.T) {
	var d dialled
	cfg := cloud.Config{Cloud: os.Getenv("STACKREEVE_TEST_CLOUD"), Wrap: d.wrap}
	if cfg.Cloud == "" {
		write(t, "clouds.yaml", string(start(t, simulator.Options{}).CloudsYAML()))
		cfg.Cloud = "demo"
	}
	c, err := cloud.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	const atOnce = 10
	list := func() {
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: "GET", Path: "networks?limit=1"}); err != nil {
			t.Error(err)
		}
	}
	d.n.Store(0)
	for range 3 {
		var wave sync.WaitGroup
		for range atOnce {
			wave.Go(list)
		}
		wave.Wait()
	}
	if n := d.n.Load(); n > atOnce {
		t.Errorf("%d new connections for %d requests at once, again and again", n, atOnce)
	}
}
