package etcdcluster_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// runsAnew runs an agent that creates the cluster again. It returns an error unless etcd runs on all machines, and none
// of them has an address of an earlier member.
func (f *fixture) runsAnew(manifests string, before []string) error {
	ctx, stop := context.WithTimeout(f.t.Context(), 30*time.Second)
	defer stop()
	f.next().Sync(ctx, engine.Revision{Commit: "test", Want: f.Resolve(manifests)})
	for _, address := range addresses(f.t, f.Target, f.size) {
		if pid, _ := process(address); pid == 0 || slices.Contains(before, address) {
			return fmt.Errorf("%s: process %d", address, pid)
		}
	}
	return nil
}

// The manifest of a cluster is removed and added again. The new machines get its volumes, but other addresses, so they
// have no majority. People then give the ports the members' old addresses and delete the machines. After that, all data
// is there.
func TestRealClustersComeBackUnderTheirName(t *testing.T) {
	const version = "3.6.16"
	f := newFixture(t, version)
	now := cluster(f.size, version)
	f.Only(now)
	mustSync(t, f.Target, now)
	c := f.filled()
	before, err := f.etcd.Status(t.Context(), c.peers[0])
	if err != nil {
		t.Fatal(err)
	}
	mustSync(t, f.Target, "")

	kindtest.Await(f.t, long, time.Second, func() error { return f.runsAnew(now, c.peers) })
	for i, address := range c.peers {
		name := fmt.Sprintf("kv-%d", i)
		body := map[string]any{"port": map[string]any{"fixed_ips": []map[string]string{{"ip_address": address}}}}
		if err := f.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + f.portOf(name), Body: body}); err != nil {
			t.Fatal(err)
		}
		f.act(http.MethodDelete, name, nil)
	}
	f.carry(now)
	c.judge(t)
	if after, err := f.etcd.Status(t.Context(), c.peers[0]); err != nil || after.ClusterID != before.ClusterID {
		t.Errorf("before %+v, after %+v, %v", before, after, err)
	}
}
