package all_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/s3"
	"github.com/stackreeve/stackreeve/internal/standin/etcd"
	s3sim "github.com/stackreeve/stackreeve/internal/standin/s3"
)

// without is a transport that removes services from the catalog that Keystone returns.
type without struct {
	services []string
	next     http.RoundTripper
}

func (w *without) wrap(next http.RoundTripper) http.RoundTripper {
	return &without{w.services, next}
}

// RoundTrip implements http.RoundTripper.
func (w *without) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(req)
	if err != nil || !strings.HasSuffix(req.URL.Path, "/auth/tokens") {
		return resp, err
	}
	var body map[string]map[string]any
	err = json.NewDecoder(resp.Body).Decode(&body)
	_ = resp.Body.Close() // read to its end
	if err != nil {
		return nil, err
	}
	catalog, _ := body["token"]["catalog"].([]any)
	body["token"]["catalog"] = slices.DeleteFunc(catalog, func(entry any) bool {
		service, _ := entry.(map[string]any)
		name, _ := service["type"].(string)
		return slices.Contains(w.services, name)
	})
	text, err := json.Marshal(body)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return resp, err
}

// If a cloud has no load balancers, only the objects that need them have an error.
func TestCloudWithoutLoadBalancers(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	machines, balancer, _ := strings.Cut(story, "\n---\n")
	none := &without{services: []string{"load-balancer"}}
	if pass := g.SyncThrough(machines, none.wrap); pass.Outcome() != plan.InSync {
		t.Errorf("machines: %s: %v", pass.Outcome(), pass.Failures)
	}
	var count kindtest.Counter
	pass := g.SyncThrough(machines+"\n---\n"+balancer, func(next http.RoundTripper) http.RoundTripper { return count.Wrap(none.wrap(next)) })
	if pass.Outcome() != plan.Broken || count.Writes.Load() != 0 {
		t.Errorf("with a load balancer: %s, %d writing requests; want an error and none", pass.Outcome(), count.Writes.Load())
	}
	for _, f := range pass.Failures {
		if f.Key.Kind != "LoadBalancer" || !strings.Contains(f.Reason(), "load-balancer") {
			t.Errorf("%v", f)
		}
	}
	if len(pass.Failures) != 1 {
		t.Errorf("%d failures, want one", len(pass.Failures))
	}
	// The effect is the same as if the service were down: none of its objects counts as deleted.
	g.MustSync(machines + "\n---\n" + balancer)
	if pass := g.SyncThrough(machines, none.wrap); pass.Outcome() != plan.InSync || len(pass.Results) != 0 {
		t.Errorf("without the service again: %s, %v", pass.Outcome(), pass.Results)
	}
	if plan := g.Plan(machines + "\n---\n" + balancer); !plan.InSync() {
		t.Errorf("the load balancer is not as it was: %v", plan.Summary())
	}
}

// If a cloud has no shared file systems, only share networks have an error.
func TestCloudWithoutSharedFileSystems(t *testing.T) {
	const network = "{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: net}, spec: {resource: {}}}"
	const share = "\n---\n{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: ShareNetwork, metadata: {name: files}, spec: {resource: {description: files}}}"
	g := kindtest.NewTarget(t, all.Kinds)
	none := &without{services: []string{"sharev2", "shared-file-system"}}
	if pass := g.SyncThrough(network, none.wrap); pass.Outcome() != plan.InSync || pass.Last.Owned != 1 {
		t.Errorf("a network: %s, %d owned: %v", pass.Outcome(), pass.Last.Owned, pass.Failures)
	}
	pass := g.SyncThrough(network+share, none.wrap)
	if len(pass.Failures) != 1 || pass.Failures[0].Key.Kind != "ShareNetwork" || !strings.Contains(pass.Failures[0].Reason(), "shared-file-system") {
		t.Errorf("failures are %v, want the share network's", pass.Failures)
	}
	// The effect is the same as if the service were down: none of its objects counts as deleted.
	g.MustSync(network + share)
	if pass := g.SyncThrough(network, none.wrap); len(pass.Results) != 0 {
		t.Errorf("without the service again: %s, %v", pass.Outcome(), pass.Results)
	}
	if plan := g.Plan(network + share); !plan.InSync() {
		t.Errorf("the share network is not as it was: %v", plan.Summary())
	}
}

// If a cloud has no object store, only containers have an error. An existing container does not
// count as deleted while the catalog lacks the service.
func TestCloudWithoutObjectStore(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	none := &without{services: []string{"object-store"}}
	network := "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: net}\nspec: {resource: {name: " + g.Stack + "}}"
	both := network + "\n---\napiVersion: stackreeve.dev/v1alpha1\nkind: SwiftContainer\nmetadata: {name: pictures}\nspec: {resource: {name: " + g.Stack + "}}"
	pass := g.SyncThrough(both, none.wrap)
	if len(pass.Failures) != 1 || pass.Failures[0].Key.Kind != "SwiftContainer" || !strings.Contains(pass.Failures[0].Reason(), "object-store") || pass.Last.Owned != 1 {
		t.Errorf("%d are owned, failures are %v; want the network, and the container's", pass.Last.Owned, pass.Failures)
	}
	g.MustSync(both)
	if pass := g.SyncThrough(network, none.wrap); pass.Outcome() != plan.InSync || len(pass.Results) != 0 {
		t.Errorf("without the service again: %s, %v", pass.Outcome(), pass.Results)
	}
	if p := g.Plan(both); !p.InSync() || p.Owned != 2 {
		t.Errorf("%d are owned, %v", p.Owned, p.Summary())
	}
}

// In a cloud without an object store, backups can be stored outside the cloud.
func TestBackupsOfACloudWithoutObjectStore(t *testing.T) {
	store := s3sim.New("key", "backups")
	server := httptest.NewServer(store)
	t.Cleanup(server.Close)
	g := kindtest.NewTarget(t, all.Kinds).Through((&without{services: []string{"object-store"}}).wrap)
	if g.Simulator == nil {
		t.Skip("takes members that are simulated")
	}
	world := etcd.New(func(address string) *etcd.Machine { return &etcd.Machine{Disk: address} })
	world.Start("10.0.0.1")
	world.Fill("all the keys and values")
	network := world.Network()
	t.Cleanup(network.Close)
	g.Machines = outbound.Machines{Through: network.Dial, Within: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}}
	g.Defaults.MachineNetworks = []string{"10.0.0.0/24"}
	g.Defaults.S3 = &defaults.S3{Endpoint: server.URL, Buckets: []string{"backups"}}
	g.Defaults.Keys.S3 = func() (s3.Keys, error) { return s3.Keys{ID: "key", Secret: "hunter2"}, nil }
	backup := "apiVersion: etcd.database.coreos.com/v1beta2\nkind: EtcdBackup\nmetadata: {name: kv}\n" +
		"spec: {etcdEndpoints: [\"http://10.0.0.1:2379\"], storageType: S3, s3: {path: backups}, onDelete: delete}"
	g.MustSync(backup)
	if got := store.Keys("backups"); len(got) != 1 {
		t.Errorf("%q are there", got)
	}
	if p := g.Plan(backup); !p.InSync() {
		t.Errorf("%s", p.Summary())
	}
	g.MustSync("")
	if got := store.Keys("backups"); len(got) != 0 {
		t.Errorf("%q are left", got)
	}
}

// If a cloud has no block storage, only volumes have an error. Objects that depend on volumes are not created.
func TestCloudWithoutBlockStorage(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	none := &without{services: []string{"block-storage", "volume", "volumev2", "volumev3"}}
	leaning := strings.NewReplacer("name: web", "name: leaning", "tags: [web, blue]", "volumes: [{volumeRef: data}]").Replace(taggedServer)
	pass := g.SyncThrough(strings.Join([]string{imported, taggedServer, plainVolume, leaning}, "\n---\n"), none.wrap)
	if len(pass.Failures) != 1 || pass.Failures[0].Key.Kind != "Volume" || !strings.Contains(pass.Failures[0].Reason(), "block-storage") {
		t.Errorf("failures are %v, want the volume's", pass.Failures)
	}
	if pass.Last.Owned != 1 {
		t.Errorf("the stack owns %d objects, want the server that needs no volume", pass.Last.Owned)
	}
}
