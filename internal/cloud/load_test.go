package cloud_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// inFlight counts the requests to each service that are in flight at the same time.
type inFlight struct {
	mu        sync.Mutex
	now, most map[string]int
}

func (f *inFlight) add(service string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now[service] += n
	f.most[service] = max(f.most[service], f.now[service])
}

// counting is a layer of one client. Several clients share its counts.
type counting struct {
	*inFlight
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (c counting) RoundTrip(req *http.Request) (*http.Response, error) {
	service, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	c.add(service, 1)
	defer c.add(service, -1)
	return c.next.RoundTrip(req)
}

// Clients of one cloud share its load. The requests in flight to each endpoint are bounded for all of them together, and each request is answered.
func TestLoadIsSharedByTheClientsOfACloud(t *testing.T) {
	write(t, "clouds.yaml", string(start(t, simulator.Options{}).CloudsYAML()))
	f, sharing := &inFlight{now: map[string]int{}, most: map[string]int{}}, &cloud.Sharing{}
	wrap := func(next http.RoundTripper) http.RoundTripper { return counting{f, next} }
	var mu sync.Mutex
	var seen []cloud.Request
	var all sync.WaitGroup
	for range 4 {
		c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo", Sharing: sharing, Wrap: wrap, Limits: cloud.Limits{Burst: 2}, Observe: func(r cloud.Request) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, r)
		}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			all.Go(func() {
				call := cloud.Call{Service: cloud.Network, Method: "POST", Path: "networks", Body: map[string]any{"network": map[string]string{"name": fmt.Sprint(i)}}}
				if err := c.Do(t.Context(), call); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	for service, most := range f.most {
		if most > 2 {
			t.Errorf("%d requests in flight to %s", most, service)
		}
	}
	waited := 0
	for _, r := range seen {
		if r.Waited > 0 {
			waited++
		}
		if r.Allowed < 1 || r.Allowed > 2 {
			t.Errorf("%+v", r)
		}
	}
	if waited == 0 || len(seen) < 80 {
		t.Errorf("%d of %d requests waited", waited, len(seen))
	}
}
