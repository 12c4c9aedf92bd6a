package loadbalancer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func published(t *testing.T) string {
	t.Helper()
	var docs []string
	for _, name := range []string{"virtualmachinegroup.yaml", "loadbalancer.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, string(text))
	}
	return strings.Join(docs, "\n---\n")
}

type answering struct {
	Listeners []struct {
		Members []struct{ Address string }
	}
}

// members returns the addresses of the members of the first port, from the status after the pass.
func members(t *testing.T, p engine.Pass) (addresses []string) {
	t.Helper()
	for _, o := range status.Of(p.Last, all.Kinds(nil, defaults.Defaults{})) {
		if o.Kind != "LoadBalancer" {
			continue
		}
		text, err := json.Marshal(o.Status.Resource)
		var seen answering
		if err == nil {
			err = json.Unmarshal(text, &seen)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range seen.Listeners[0].Members {
			addresses = append(addresses, m.Address)
		}
		return addresses
	}
	t.Fatal("the pass has no load balancer")
	return nil
}

// TestPublishedManifests applies the manifests that LINE has published for its own cloud, without changes. Then the
// group grows and shrinks. The members change in the same pass, and removed machines are drained for half a minute.
func TestPublishedManifests(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	g := kindtest.NewTarget(t, all.Kinds)
	text := published(t)
	g.Only(text)
	for _, replicas := range []string{"2", "3", "1"} {
		pass := g.MustSync(strings.Replace(text, "replicas: 2", "replicas: "+replicas, 1))
		if got := members(t, pass); len(got) != int(replicas[0]-'0') {
			t.Errorf("%s replicas: those who answer are %+v", replicas, got)
		}
	}
}
