package etcdcluster_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// The manifest of a cluster goes and comes back. Its machines have its volumes, other addresses and no majority, until people give their ports the
// addresses that the members had, and delete the machines: then all data is there.
func TestRealClustersComeBackUnderTheirName(t *testing.T) {
	const version = "3.5.35"
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

	told := 0
	f.until("all members say what is wrong", time.Second, func() error {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		told = 0
		for _, s := range f.next().Sync(ctx, engine.Revision{Commit: "test", Want: f.Resolve(now)}).Last.Steps {
			if s.Key.Kind == "EtcdMember" && strings.Contains(s.Why(), "of machines that had other addresses") {
				told++
			}
		}
		if told < f.size {
			return fmt.Errorf("%d do", told)
		}
		return nil
	})
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
