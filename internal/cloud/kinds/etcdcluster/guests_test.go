package etcdcluster_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// guests returns a cloud whose servers are real machines, which run real etcd of the given versions.
func guests(t *testing.T, versions ...string) *kindtest.Target {
	t.Helper()
	if os.Getenv("STACKREEVE_TEST_GUESTS") != "1" {
		t.Skip("real machines: deploy/devcloud/README.md says how, then STACKREEVE_TEST_GUESTS=1")
	}
	built, err := exec.CommandContext(t.Context(), "../../../../deploy/devcloud/etcd", versions...).Output()
	if err != nil {
		t.Fatal("etcd cannot be made: ", err)
	}
	g := kindtest.NewGuests(t, all.Kinds)
	g.Defaults.Etcd = &defaults.Etcd{Image: "debian-12-guest", Flavor: "m1.nano", VolumeSize: 1,
		Repository: "http://" + kindtest.ServeGuests(t, strings.TrimSpace(string(built))) + "/{version}/etcd.tar.gz", Versions: map[string]string{"3.2.13": "3.4.23"}}
	return g
}

func cluster(size int, version string) string {
	return fmt.Sprintf(`
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdCluster
metadata: {name: kv}
spec: {size: %d, version: "%s"}
`, size, version)
}

func mustSync(t *testing.T, g *kindtest.Target, manifests string) {
	t.Helper()
	g.MustSyncGuests(t, 10*time.Minute, manifests)
}

// addresses returns the addresses of the machines, sorted by the names of their ports.
func addresses(t *testing.T, g *kindtest.Target, size int) (list []string) {
	t.Helper()
	return addressesOf(t, g, "kv", size)
}

func addressesOf(t *testing.T, g *kindtest.Target, cluster string, size int) (list []string) {
	t.Helper()
	for i := range size {
		list = append(list, kindtest.AddressOf(t, g.Client(nil), fmt.Sprintf("%s-%d", cluster, i)))
	}
	return list
}

// client uses a cluster as any client would: it sends each request to one of several servers.
type client struct {
	http   http.Client
	mu     sync.Mutex
	peers  []string
	scheme string
	acked  map[string]string
	tried  int
}

// use sets the servers for further requests.
func (c *client) use(peers []string) { c.mu.Lock(); defer c.mu.Unlock(); c.peers = peers }

func (c *client) post(ctx context.Context, path string, body, into any) (err error) {
	c.mu.Lock()
	peers := c.peers
	c.mu.Unlock()
	err = errors.New("there is nobody to ask")
	for _, address := range peers {
		if err = c.ask(ctx, address, "kv/"+path, body, into); err == nil {
			return nil
		}
	}
	return err
}

// ask sends a request to one server.
func (c *client) ask(ctx context.Context, address, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	c.mu.Lock()
	scheme, asks := c.scheme, c.http
	c.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, scheme+"://"+address+":2379/v3/"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	resp, err := asks.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, answer)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, into)
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// write starts a client that writes one key after the other until the test ends. No acknowledged write may be lost.
func write(t *testing.T, peers []string) *client {
	c := &client{peers: peers, scheme: "http", acked: map[string]string{}, http: http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			key, value := fmt.Sprintf("key-%d", n%500), strconv.Itoa(n)
			err := c.post(ctx, "put", map[string]string{"key": encoded(key), "value": encoded(value)}, &struct{}{})
			c.mu.Lock()
			if c.tried++; err == nil {
				c.acked[key] = value
			} else {
				delete(c.acked, key) // nobody knows whether the value was written
			}
			c.mu.Unlock()
		}
	})
	t.Cleanup(func() { stop(); writing.Wait() })
	return c
}

// judge fails the test unless every acknowledged value exists.
func (c *client) judge(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	acked, tried := map[string]string{}, c.tried
	for k, v := range c.acked {
		acked[k] = v
	}
	c.mu.Unlock()
	lost := 0
	for key, value := range acked {
		var got struct{ Kvs []struct{ Value string } }
		if err := c.post(t.Context(), "range", map[string]string{"key": encoded(key)}, &got); err != nil {
			t.Fatal(err)
		}
		at, is := -1, 0
		if len(got.Kvs) == 1 {
			text, _ := base64.StdEncoding.DecodeString(got.Kvs[0].Value)
			at, _ = strconv.Atoi(string(text))
		}
		if is, _ = strconv.Atoi(value); at < is { // otherwise a later write has replaced the value
			lost++
			t.Errorf("%s is %d, and %d was acknowledged", key, at, is)
		}
	}
	t.Logf("%d keys of %d writes judged, %d lost", len(acked), tried, lost)
}

// The published manifest becomes a cluster of real machines without changes. The configuration maps its version to
// another one, and the cluster answers clients.
func TestThePublishedManifestOnRealMachines(t *testing.T) {
	g := guests(t, "3.4.23")
	g.Defaults.Etcd.VolumeSize = 0 // the manifest declares no storage
	manifest := read(t, "etcdcluster.yaml")
	g.Only(manifest)
	mustSync(t, g, manifest)
	peers := addressesOf(t, g, "example-etcd-cluster", 3)
	filled(t, peers).judge(t)
	asks := etcd.Client{Machines: g.Machines, Port: etcd.ClientPort}
	for _, address := range peers {
		s, err := asks.Status(t.Context(), address)
		if err != nil || s.Version != "3.4.23" || s.Leader == 0 || s.IsLearner {
			t.Errorf("%s: %+v, %v", address, s, err)
		}
	}
}

// If a real machine cannot download etcd, it reports that, and the plan shows it.
func TestADownloadFailsOnRealMachines(t *testing.T) {
	g := guests(t, "3.4.23")
	g.Defaults.Etcd.Repository = "http://" + kindtest.ServeGuests(t, t.TempDir()) + "/{version}/etcd"
	g.Defaults.Etcd.VolumeSize = 0
	manifests := cluster(1, "3.4.23")
	g.Only(manifests)
	ctx, stop := context.WithCancel(t.Context())
	agent, want := g.ProbingAgent(), g.Resolve(manifests)
	var passing sync.WaitGroup
	defer passing.Wait()
	defer stop()
	passing.Go(func() { agent.Sync(ctx, engine.Revision{Commit: "test", Want: want}) })
	var said string
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline) && !strings.Contains(said, "404"); <-time.After(time.Second) {
		for _, s := range g.Plan(manifests).Steps {
			if s.Key.Kind == "EtcdMember" {
				said = s.ShortCause()
			}
		}
	}
	if !strings.Contains(said, "/3.4.23/etcd cannot be downloaded: HTTP Error 404") {
		t.Errorf("the plan says %q", said)
	}
}

// A cluster of real machines grows, is upgraded, and shrinks, while a client writes. Agents are killed all the time.
func TestAClusterOnRealMachines(t *testing.T) {
	g := guests(t, "3.5.35", "3.6.16")
	g.Only(cluster(5, "3.5.35"))
	mustSync(t, g, cluster(3, "3.5.35"))
	c := write(t, addresses(t, g, 3))
	for _, step := range []struct {
		size    int
		version string
	}{{5, "3.5.35"}, {5, "3.6.16"}, {3, "3.6.16"}} {
		mustSync(t, g, cluster(step.size, step.version))
		c.use(addresses(t, g, step.size))
		c.judge(t)
	}
	for _, seed := range kindtest.Seeds(t, "0") {
		size := []int{3, 5}[seed%2]
		killed(t, g, cluster(size, "3.6.16"), seed)
		c.judge(t)
	}
}

// killed runs one agent after the other for the manifests. All except the last die, at moments that the seed determines.
func killed(t *testing.T, g *kindtest.Target, manifests string, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	want := g.Resolve(manifests)
	for deaths := range 20 {
		life := time.Second + time.Duration(r.Int64N(int64(8*time.Second)))
		if deaths >= 4 {
			life = 10 * time.Minute
		}
		ctx, die := context.WithTimeout(t.Context(), life)
		pass := g.ProbingAgent().Sync(ctx, engine.Revision{Commit: "test", Want: want})
		died := ctx.Err() != nil
		die()
		if !died && pass.Outcome() != plan.InSync {
			t.Fatalf("seed %d: %s: %v", seed, pass.Outcome(), pass.Failures)
		}
		if !died {
			t.Logf("seed %d: %d agents died", seed, deaths)
			return
		}
	}
}
