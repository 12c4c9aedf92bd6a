package m3dbcluster_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	etcdserver "github.com/stackreeve/stackreeve/internal/standin/etcd"
	simulated "github.com/stackreeve/stackreeve/internal/standin/m3"
)

// world is a simulator whose machines run etcd and M3DB as soon as they are ACTIVE.
type world struct {
	*kindtest.Target
	*simulated.World
	etcd   *etcdserver.World
	t      *testing.T
	client *cloud.Client

	mu       sync.Mutex
	seen     time.Time
	machines map[string]found
}

// found is a running machine.
type found struct{ name, disk, server string }

func newWorld(t *testing.T) *world {
	t.Helper()
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("machines of a real cloud run no M3DB")
	}
	g.Defaults.M3 = &defaults.M3{Image: "centos79", Flavor: "n3-1vcpu-2gb", VolumeSize: 1}
	w := &world{Target: g, t: t}
	w.World = simulated.New(func(address string) *simulated.Machine {
		m := w.machine(address)
		if m.disk == "" || strings.Contains(m.name, "-etcd-") {
			return nil
		}
		return &simulated.Machine{ID: m3.InstanceID(m.name, m.disk, address), Boot: m.server}
	})
	w.etcd = etcdserver.New(func(address string) *etcdserver.Machine {
		m := w.machine(address)
		if m.disk == "" || !strings.Contains(m.name, "-etcd-") {
			return nil
		}
		return &etcdserver.Machine{Disk: m.disk, Version: "3.4.23"}
	})
	ours, theirs := w.World.Network(), w.etcd.Network()
	t.Cleanup(ours.Close)
	t.Cleanup(theirs.Close)
	g.Machines = outbound.Machines{Through: func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasSuffix(address, ":7201") || strings.HasSuffix(address, ":9002") {
			return ours.Dial(ctx, network, address)
		}
		return theirs.Dial(ctx, network, address)
	}}
	w.Target = g.Through(func(next http.RoundTripper) http.RoundTripper { return next })
	w.client = w.Target.Client(nil)
	return w
}

// machine returns the ACTIVE server that has this address.
func (w *world) machine(address string) found {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.seen) > 2*time.Millisecond {
		w.machines, w.seen = w.look(), time.Now()
	}
	return w.machines[address]
}

func count(machines map[string]found) (n int) {
	for _, m := range machines {
		if !strings.Contains(m.name, "-etcd-") {
			n++
		}
	}
	return n
}

func (w *world) look() map[string]found {
	var ports struct {
		Ports []struct {
			Name   string
			Device string `json:"device_id"`
			IPs    []struct {
				Address string `json:"ip_address"`
			} `json:"fixed_ips"`
		}
	}
	var servers struct {
		Servers []struct {
			ID, Status string
			Volumes    []struct{ ID string } `json:"os-extended-volumes:volumes_attached"`
		}
	}
	ctx := w.t.Context()
	if w.client.Do(ctx, cloud.Call{Service: cloud.Network, Path: "ports", Into: &ports}) != nil ||
		w.client.Do(ctx, cloud.Call{Service: cloud.Compute, Path: "servers/detail", Into: &servers}) != nil {
		return nil
	}
	disks := map[string]string{}
	for _, s := range servers.Servers {
		if s.Status == "ACTIVE" && len(s.Volumes) > 0 {
			disks[s.ID] = s.Volumes[0].ID
		}
	}
	machines := map[string]found{}
	for _, p := range ports.Ports {
		if disk := disks[p.Device]; disk != "" && len(p.IPs) > 0 {
			machines[p.IPs[0].Address] = found{p.Name, disk, p.Device}
		}
	}
	return machines
}

// remove deletes an object in the cloud, as other people do.
func (w *world) remove(service, collection, name string) {
	remove(w.t, w.client, service, collection, name)
}

func remove(t *testing.T, c *cloud.Client, service, collection, name string) {
	t.Helper()
	var found map[string][]struct{ ID string }
	if err := c.Do(t.Context(), cloud.Call{Service: service, Path: collection + "?name=" + name, Into: &found}); err != nil {
		t.Fatal(err)
	}
	for _, o := range found[collection] {
		if err := c.Do(t.Context(), cloud.Call{Service: service, Method: http.MethodDelete, Path: collection + "/" + o.ID}); err != nil {
			t.Fatal(err)
		}
	}
}

// settled requires that these machines are instances with all their shards, and that no agent sent a forbidden
// request.
func (w *world) settled(names ...string) {
	w.t.Helper()
	var got []string
	for _, id := range w.Instances() {
		if strings.HasSuffix(id, "?") {
			w.t.Errorf("shards of %s are being added or removed", id)
		}
		got = append(got, m3.MachineOf(strings.TrimSuffix(id, "?")))
	}
	if !slices.Equal(got, names) {
		w.t.Errorf("the instances are %v, want %v", got, names)
	}
	for _, sin := range w.Sins() {
		w.t.Error(sin)
	}
}

// sized is a cluster with three isolation groups, which have these numbers of instances.
func sized(a, b, c int, more ...string) string {
	return fmt.Sprintf(`
apiVersion: operator.m3db.io/v1alpha1
kind: M3DBCluster
metadata: {name: kv}
spec:
  image: quay.io/m3db/m3dbnode:v1.5.0
  numberOfShards: 8
  isolationGroups: [{name: a, numInstances: %d}, {name: b, numInstances: %d}, {name: c, numInstances: %d}]
  namespaces: [{name: plain, preset: 10s:2d}]
  etcdEndpoints: [http://192.0.2.7:2379]
  clients: [10.0.0.0/8]
%s`, a, b, c, strings.Join(more, "\n"))
}

// why returns the action and the cause of an object's step in a plan.
func why(p plan.Plan, kindName, name string) string {
	s := step(p, kindName, name)
	return string(s.Action) + ": " + s.ShortCause()
}

// step returns an object's step in a plan, or the zero value.
func step(p plan.Plan, kindName, name string) (found plan.Step) {
	for _, s := range p.Steps {
		if s.Key.Kind == kindName && s.Key.Name == name {
			return s
		}
	}
	return found
}
