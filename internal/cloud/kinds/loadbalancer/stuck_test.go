package loadbalancer_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// stock is a simulated cloud whose Octavia leaves the children of a create request in PENDING_CREATE forever.
var stock = simulator.Options{ChildrenStuck: true}

// creates records the number of listeners in each request that creates a load
// balancer.
type creates struct {
	next      http.RoundTripper
	listeners []int
}

func (c *creates) wrap(next http.RoundTripper) http.RoundTripper {
	c.next = next
	return c
}

// RoundTrip implements http.RoundTripper.
func (c *creates) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/lbaas/loadbalancers") {
		text, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		req.Body = io.NopCloser(strings.NewReader(string(text)))
		var body struct {
			LoadBalancer struct {
				Listeners []any `json:"listeners"`
			} `json:"loadbalancer"`
		}
		if err := json.Unmarshal(text, &body); err != nil {
			return nil, err
		}
		c.listeners = append(c.listeners, len(body.LoadBalancer.Listeners))
	}
	return c.next.RoundTrip(req)
}

// Unfinished children are created again, under the same load balancer and in the
// same pass. From then on the agent creates load balancers without children.
func TestChildrenLeftUnfinished(t *testing.T) {
	sort := &stock
	if os.Getenv("STACKREEVE_TEST_CLOUD") != "" {
		sort = nil // a real cloud has its own behaviour
	}
	g := kindtest.NewTargetOn(t, kinds, sort)
	var c creates
	eng := g.Engine(g.Client(c.wrap))
	sync := func(manifests string) engine.Pass {
		t.Helper()
		pass := eng.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(manifests)})
		if pass.Outcome() != plan.InSync {
			t.Fatalf("%s: %v", pass.Outcome(), pass.Failures)
		}
		for _, r := range pass.Results {
			if r.Step.Drift {
				t.Errorf("%s %s is said to be changed in the cloud, and nobody touched it: %v", r.Step.Action, r.Step.Key, r.Step.Changes)
			}
		}
		return pass
	}
	first := sync(object)
	if again := sync(object); len(again.Results) > 0 || stepOf(t, again.Last).ID() != stepOf(t, first.Last).ID() {
		t.Errorf("the second pass did something: %v", again.Results)
	}
	sync(object + "\n---\n" + strings.Replace(object, "name: front", "name: second", 1))
	if want := []int{2, 0}; !slices.Equal(c.listeners, want) && (g.Simulator != nil || os.Getenv("STACKREEVE_DEVCLOUD_STOCK") == "1") {
		t.Errorf("load balancers were created with %v listeners, want %v: the first has shown that this cloud cannot", c.listeners, want)
	}
}

func TestLawsWhereChildrenAreLeftUnfinished(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: kinds, Key: key, Object: object, Simulator: &stock, Partial: true,
		Edits: []kindtest.Edit{{Field: "spec.description", Old: "in front of the web servers", New: "moved"}},
	}.Run(t)
}
