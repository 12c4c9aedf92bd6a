package all_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// Some attributes are compared only with some manifests. A list reads them if there is such a manifest. A look then reads the same, so it finds no change.
func TestListsForSomeManifests(t *testing.T) {
	const plain = `{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: a}, spec: {resource: {}}}`
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"a network":                       {plain, 0},
		"a network that is shared":        {strings.Replace(plain, "resource: {}", "resource: {sharedWith: [{projectID: 5d9c7a7b2f0e4b7a9d9c3f5b1a2c4d6e}]}", 1), 1},
		"a network that nobody may share": {strings.Replace(plain, "resource: {}", "resource: {sharedWith: []}", 1), 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{})
			g.MustSync(tt.text)
			e := g.Engine(g.Client(nil))
			e.Looks = true
			asked := func() (n int) {
				for _, r := range g.Simulator.Requests() {
					if strings.HasSuffix(r.Path, "/rbac-policies") {
						n++
					}
				}
				g.Simulator.ResetRequests()
				return n
			}
			rev := engine.Revision{Want: g.Resolve(tt.text)}
			for range 2 {
				asked()
				if p := e.Sync(t.Context(), rev); !p.Last.InSync() {
					t.Fatal(p.Failures)
				}
				if n := asked(); n != tt.want {
					t.Errorf("a pass has read the shares %d times, want %d", n, tt.want)
				}
			}
			if found := e.Look(t.Context(), engine.Moved{Collections: []string{"network/networks"}, Since: time.Now()}); found != engine.LookedSame {
				t.Errorf("a look after nothing has changed: %s", found)
			}
			if n := asked(); n != tt.want {
				t.Errorf("a look has read the shares %d times, want %d", n, tt.want)
			}
		})
	}
}

// roundTrip is a [http.RoundTripper].
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A list of ports can be older than the list of machines. A machine that was started in between has all its ports.
func TestPortsAreAsNewAsTheirMachines(t *testing.T) {
	const text = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: net}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: net}, spec: {resource: {networkRef: net, ipVersion: 4, cidr: 10.8.0.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: first}, spec: {resource: {networkRef: net, addresses: [{subnetRef: net}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: second}, spec: {resource: {networkRef: net, addresses: [{subnetRef: net}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: i}, spec: {managementPolicy: unmanaged, import: {filter: {name: centos79}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Flavor, metadata: {name: f}, spec: {managementPolicy: unmanaged, import: {filter: {name: n3-1vcpu-2gb}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Server, metadata: {name: s}, spec: {resource: {imageRef: i, flavorRef: f, ports: [{portRef: first}, {portRef: second}]}}}
`
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{})
	g.MustSync(text)
	for _, unbound := range []string{"first second", "second"} {
		lists := 0
		before := func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := next.RoundTrip(req)
				if err != nil || req.Method != http.MethodGet || !strings.HasSuffix(req.URL.Path, "/v2.0/ports") || req.URL.Query().Has("fields") {
					return resp, err
				}
				lists++
				var answer struct {
					Ports []map[string]any `json:"ports"`
				}
				if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
					t.Error(err)
				}
				_ = resp.Body.Close()
				for _, port := range answer.Ports {
					if name, _ := port["name"].(string); name != "" && strings.Contains(unbound, name) {
						port["device_id"], port["device_owner"] = "", ""
					}
				}
				body, err := json.Marshal(answer)
				resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
				return resp, err
			})
		}
		for _, s := range g.Engine(g.Client(before)).Preview(t.Context(), "test", g.Resolve(text), nil).Steps {
			if s.Key.Kind == "Server" && len(s.Changes) > 0 {
				t.Errorf("%s not bound: %s: %v", unbound, s.Key, s.Changes)
			}
		}
		if lists == 0 {
			t.Error("the ports were not listed")
		}
	}
}

// An older Glance refuses to list images of all visibilities. The agent then asks for two lists, and finds the same images.
func TestImagesOfAnOlderGlance(t *testing.T) {
	const text = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: debian}, spec: {managementPolicy: unmanaged, import: {filter: {name: debian-12}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: ours}, spec: {managementPolicy: unmanaged, import: {filter: {name: ours, visibility: community}}}}
`
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{})
	other := g.Beside("admin")
	other.Defaults.ImageHosts = []string{"127.0.0.1"}
	other.MustSync(`{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: ours}, spec: {resource: {visibility: community, content: {diskFormat: raw, download: {url: "` + diskServer(t) + `"}}}}}`)
	refused := 0
	older := func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if req.URL.Query().Get("visibility") != "all" {
				return next.RoundTrip(req)
			}
			refused++
			return &http.Response{StatusCode: http.StatusBadRequest, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Request: req,
				Body: io.NopCloser(strings.NewReader("Invalid visibility value: all"))}, nil
		})
	}
	e := g.Engine(g.Client(older))
	for range 2 {
		if p := e.Preview(t.Context(), "test", g.Resolve(text), nil); !p.InSync() {
			t.Errorf("%v", remaining(p))
		}
	}
	if refused != 1 {
		t.Errorf("the list that Glance refuses was requested %d times", refused)
	}
}
