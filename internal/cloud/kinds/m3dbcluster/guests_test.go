package m3dbcluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// guests is a cloud whose servers are real machines, which run real M3DB and real etcd.
func guests(t *testing.T) *kindtest.Target {
	t.Helper()
	if os.Getenv("STACKREEVE_TEST_GUESTS") != "1" {
		t.Skip("real machines: deploy/devcloud/README.md says how, then STACKREEVE_TEST_GUESTS=1")
	}
	made := func(what string) string {
		folder, err := exec.CommandContext(t.Context(), "../../../../deploy/devcloud/"+what).Output()
		if err != nil {
			t.Fatal(what, " cannot be made: ", err)
		}
		return strings.TrimSpace(string(folder))
	}
	etcd, m3db := made("etcd"), made("m3db")
	g := kindtest.NewGuests(t, all.Kinds)
	const image, flavor = "debian-12-guest", "m1.nano"
	g.Defaults.Etcd = &defaults.Etcd{Image: image, Flavor: flavor, Repository: "http://" + kindtest.ServeGuests(t, etcd) + "/{version}/etcd"}
	g.Defaults.M3 = &defaults.M3{Image: image, Flavor: flavor, Repository: "http://" + kindtest.ServeGuests(t, m3db) + "/{version}/m3dbnode"}
	return g
}

// published is a manifest of m3db-operator's examples, with the given number of instances in its first isolation group.
func published(t *testing.T, instances int) string {
	t.Helper()
	text, err := os.ReadFile("testdata/m3dbcluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(text), "numInstances: 1", fmt.Sprintf("numInstances: %d", instances), 1)
}

// series is a client that writes numbers to a cluster and reads them back.
type series struct {
	t         *testing.T
	mu        sync.Mutex
	addresses []string
	written   map[int64]float64 // acknowledged numbers, by their time in seconds
	refused   int
	last      error // the cause of the last refusal
}

const tag = "stackreeve_story"

func (s *series) ask(ctx context.Context, method, path string, body any) (answer []byte, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	addresses := s.addresses
	s.mu.Unlock()
	client := http.Client{Timeout: 10 * time.Second}
	for _, address := range addresses {
		var req *http.Request
		if req, err = http.NewRequestWithContext(ctx, method, fmt.Sprintf("http://%s:%d/api/v1/%s", address, m3.CoordinatorPort, path), bytes.NewReader(text)); err != nil {
			return nil, err
		}
		var resp *http.Response
		if resp, err = client.Do(req); err != nil {
			continue
		}
		answer, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", resp.Status, answer)
		}
		if err == nil {
			return answer, nil
		}
	}
	return nil, err
}

// put writes one number.
func (s *series) put(ctx context.Context, at int64, n float64) {
	_, err := s.ask(ctx, http.MethodPost, "json/write", map[string]any{"tags": map[string]string{"__name__": tag}, "timestamp": fmt.Sprint(at), "value": n})
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.written[at] = n
	} else if ctx.Err() == nil {
		s.refused++
		s.last = err
	}
}

// write writes a number a second until the test ends.
func (s *series) write() {
	ctx, stop := context.WithCancel(context.WithoutCancel(s.t.Context()))
	var writing sync.WaitGroup
	writing.Go(func() {
		seconds := time.NewTicker(time.Second)
		defer seconds.Stop()
		last := int64(0)
		for n := 0.0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case now := <-seconds.C:
				at := now.Unix()
				if at == last {
					continue // if two numbers have the same time, M3DB may keep either
				}
				last = at
				s.put(ctx, at, n)
			}
		}
	})
	s.t.Cleanup(func() { stop(); writing.Wait() })
}

// read returns the numbers that the cluster has for these seconds.
func (s *series) read(first, last int64) (there map[string]bool, err error) {
	answer, err := s.ask(s.t.Context(), http.MethodGet, fmt.Sprintf("query_range?query=%s&start=%d&end=%d&step=1s&lookback=1s", tag, first, last+1), nil) // the end is not part of the range
	var got struct {
		Data struct {
			Result []struct{ Values [][2]any }
		}
	}
	if err != nil || json.Unmarshal(answer, &got) != nil || len(got.Data.Result) != 1 {
		return nil, fmt.Errorf("it cannot be read: %w, %.300s", err, answer)
	}
	there = map[string]bool{}
	for _, v := range got.Data.Result[0].Values {
		there[fmt.Sprint(v[1])] = true
	}
	return there, nil
}

// judge requires that the cluster acknowledged every number, because at most one machine is down at any time, and that it still has them.
func (s *series) judge() {
	s.t.Helper()
	s.mu.Lock()
	written := map[int64]float64{}
	first, last := time.Now().Unix(), int64(0)
	for at, n := range s.written {
		written[at], first, last = n, min(first, at), max(last, at)
	}
	refused, why := s.refused, s.last
	s.mu.Unlock()
	if len(written) == 0 {
		s.t.Fatalf("nothing can be written: %v", why)
	}
	there, err := s.read(first, last)
	if err != nil {
		s.t.Fatal(err)
	}
	lost := 0
	for at, n := range written {
		if !there[fmt.Sprint(n)] {
			lost++
			s.t.Errorf("%v of second %d (%d to %d) was acknowledged, and is not there", n, at, first, last)
		}
	}
	if refused > 0 {
		s.t.Errorf("%d numbers were not acknowledged: %v", refused, why)
	}
	s.t.Logf("%d numbers judged, %d lost", len(written), lost)
}

// placement requires that the placement has that many instances, and that each of them has all its shards.
func placement(t *testing.T, g *kindtest.Target, address string, instances int) {
	t.Helper()
	c := m3.Client{Port: m3.CoordinatorPort, Environment: m3.Environment("default", "simple-cluster")}
	p, err := c.Placement(t.Context(), address)
	if err != nil || p == nil || len(p.Instances) != instances || p.Unsettled() != nil {
		t.Fatalf("the placement is %v, %v; want %d instances, all shards available", p, err, instances)
	}
}

// reach makes the client use the cluster's present machines. It requires that all instances have their shards.
func (s *series) reach(g *kindtest.Target, instances int) {
	s.t.Helper()
	var addresses []string
	for _, number := range []int{0, 1, 2, 4}[:instances] { // number 4 is the second machine of the first of three groups
		addresses = append(addresses, kindtest.AddressOf(s.t, g.Client(nil), fmt.Sprintf("simple-cluster-%d", number)))
	}
	s.mu.Lock()
	s.addresses = addresses
	s.mu.Unlock()
	placement(s.t, g, addresses[0], instances)
}

// lose deletes a machine and its disk.
func lose(t *testing.T, g *kindtest.Target, machine string) {
	t.Helper()
	c, disk := g.Client(nil), machine+"-m3db"
	remove(t, c, cloud.Compute, "servers", machine)
	kindtest.Await(t, kindtest.Patience, g.Interval(), func() error { // the disk can be deleted once its machine no longer exists
		var found struct{ Volumes []struct{ Status string } }
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Path: "volumes/detail?name=" + disk, Into: &found}); err != nil || len(found.Volumes) != 1 {
			t.Fatalf("volumes called %s: %v, %v", disk, found, err)
		}
		if is := found.Volumes[0].Status; is != "available" {
			return fmt.Errorf("%s is %s", disk, is)
		}
		return nil
	})
	remove(t, c, cloud.BlockStorage, "volumes", disk)
}

// The published manifest becomes a cluster of real machines that stores data. While a client writes to the cluster, its machines get another flavor,
// it grows, loses a machine with its disk, and shrinks.
func TestM3DBOnRealMachines(t *testing.T) {
	g := guests(t)
	g.Only(published(t, 2))
	g.MustSyncGuests(t, 20*time.Minute, published(t, 1))
	s := &series{t: t, written: map[int64]float64{}}
	s.reach(g, 3)
	s.write()
	g.Defaults.M3.Flavor = "m1.tiny"
	g.MustSyncGuests(t, 20*time.Minute, published(t, 1))
	s.reach(g, 3)
	s.judge()
	g.MustSyncGuests(t, 20*time.Minute, published(t, 2))
	s.reach(g, 4)
	s.judge()
	lose(t, g, "simple-cluster-1")
	g.MustSyncGuests(t, 20*time.Minute, published(t, 2))
	s.reach(g, 4)
	s.judge()
	g.MustSyncGuests(t, 20*time.Minute, published(t, 1))
	s.reach(g, 3)
	s.judge()
}

// M3DB's machines authenticate with derived certificates to an etcd that requires them. When the keys of etcd change, the machines get new
// certificates.
func TestM3DBWithTLSToEtcdOnRealMachines(t *testing.T) {
	g := guests(t)
	master, err := pki.New(bytes.Repeat([]byte{10}, pki.ShortestKey))
	if err != nil {
		t.Fatal(err)
	}
	g.Defaults.Keys.Master, g.Defaults.Etcd.MasterKeyFile = master, "key"
	of := func(generation int) string {
		return strings.Replace(published(t, 1), "spec:\n", "spec:\n  etcdClusterRef: kv\n", 1) + fmt.Sprintf(`
---
apiVersion: stackreeve.dev/v1alpha1
kind: EtcdCluster
metadata: {name: kv}
spec: {size: 3, version: "3.5.35", clients: [0.0.0.0/0], TLS: {auto: {generation: %d}}}
`, generation)
	}
	g.Only(of(1))
	g.MustSyncGuests(t, 20*time.Minute, of(1))
	s := &series{t: t, written: map[int64]float64{}}
	s.reach(g, 3)
	s.write()
	g.MustSyncGuests(t, 20*time.Minute, of(2))
	s.reach(g, 3)
	s.judge()
}

// Agents are killed while they change the flavor of the machines, and grow and shrink the cluster: four agents for each change. A new agent replaces
// each killed agent, as a service manager would do it. At most one machine is down at any time, and no acknowledged number is lost.
func TestRealClustersOfM3DBByAgentsThatDie(t *testing.T) {
	for _, seed := range kindtest.Seeds(t, "0") {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			g, r := guests(t), rand.New(rand.NewPCG(seed, 3))
			g.Only(published(t, 2))
			g.MustSyncGuests(t, 20*time.Minute, published(t, 1))
			s := &series{t: t, written: map[int64]float64{}}
			s.reach(g, 3)
			s.write()
			g.Defaults.M3.Flavor = "m1.tiny"
			for n, instances := range []int{1, 2, 1} {
				began, wanted := time.Now(), published(t, instances)
				for range 4 {
					ctx, die := context.WithTimeout(t.Context(), time.Second+time.Duration(r.Int64N(int64(30*time.Second))))
					agent := g.ProbingAgent()
					agent.Timing.KilledWait = 2 * time.Second
					agent.Sync(ctx, engine.Revision{Commit: "test", Want: g.Resolve(wanted)})
					die()
				}
				g.MustSyncGuests(t, 20*time.Minute, wanted)
				s.reach(g, 2+instances)
				s.judge()
				t.Logf("%s after %s", []string{"another flavor", "grown", "shrunk"}[n], time.Since(began).Round(time.Second))
			}
		})
	}
}
