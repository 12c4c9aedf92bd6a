package all_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const story = `
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: weather}
spec:
  replicas: 2
  haPolicy: soft
  template: {image: centos79, flavor: n3-1vcpu-2gb, initScript: {value: ls}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: weather}
spec:
  region: tokyo1
  zone: dev
  vipType: private
  serviceType: generic
  ports:
    - port: 80
      protocol: http
      realServers: {protocol: http, port: 80, virtualMachineGroupRef: weather}
      monitors: [{protocol: http, port: 80, endpoint: /health}]
`

// services are the services of a cloud. hits recognises their requests, on any cloud.
var services = []struct {
	name string
	hits func(*http.Request) bool
}{
	{"compute", func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/v2.1/") }},
	{"network", func(r *http.Request) bool {
		return strings.Contains(r.URL.Path, "/v2.0/") && !strings.Contains(r.URL.Path, "/lbaas/")
	}},
	{"image", func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/v2/images") }},
	{"load-balancer", func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/lbaas/") }},
}

// Each service has each fault, in a test of its own. The next pass without faults ends in sync. No
// object exists twice, and none is left over.
func TestCloudWeather(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	for _, service := range services {
		for _, weather := range kindtest.Weathers() {
			t.Run(service.name+"/"+weather.Name, func(t *testing.T) {
				t.Parallel()
				g := kindtest.NewTarget(t, all.Kinds)
				storm := &kindtest.Storm{Weather: weather, Hits: service.hits, Times: 4}
				through := g.SyncThrough(story, storm.Wrap)
				after := g.MustSync(story)
				for _, step := range after.First.Steps {
					if step.Action == plan.Delete {
						t.Errorf("%s was there twice", step.Key)
					}
				}
				managed := 0
				for _, step := range after.Last.Steps {
					if !step.Unmanaged() {
						managed++
					}
				}
				if after.Last.Owned != managed {
					t.Errorf("the stack owns %d objects, want %d", after.Last.Owned, managed)
				}
				t.Logf("during: %s in %.1fs, %d steps, %d failures; after: %d steps", through.Outcome(), through.Took.Seconds(), len(through.Results), len(through.Failures), len(after.Results))
			})
		}
	}
}
