package etcdcluster_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/simulator/etcd"
)

// world is a simulator whose machines run etcd as soon as they are ACTIVE.
type world struct {
	*kindtest.Target
	*etcd.World
	t      *testing.T
	client *cloud.Client

	mu       sync.Mutex
	seen     time.Time
	machines map[string]*etcd.Machine
	fewest   int // machines that ran at any moment that was looked at
}

func newWorld(t *testing.T) *world {
	t.Helper()
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("on a real cloud real machines are used: see guests_test.go")
	}
	g.Defaults.Etcd = &defaults.Etcd{Image: "centos79", Flavor: "n3-1vcpu-2gb", VolumeSize: 1, Versions: map[string]string{"3.2.13": "3.4.23"}}
	w := &world{Target: g, t: t}
	w.World = etcd.New(w.machine)
	network := w.World.Network()
	t.Cleanup(network.Close)
	g.Machines = outbound.Machines{Through: network.Dial}
	w.client = g.Client(nil)
	return w
}

// machine finds the active server at an address, and the volume that is its data's.
func (w *world) machine(address string) *etcd.Machine {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.seen) > 2*time.Millisecond {
		w.machines, w.seen = w.look(), time.Now()
		w.fewest = min(w.fewest, len(w.machines))
	}
	return w.machines[address]
}

func (w *world) look() map[string]*etcd.Machine {
	var ports struct {
		Ports []struct {
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
	machines := map[string]*etcd.Machine{}
	for _, p := range ports.Ports {
		if disk := disks[p.Device]; disk != "" && len(p.IPs) > 0 {
			machines[p.IPs[0].Address] = &etcd.Machine{Disk: disk}
		}
	}
	return machines
}

// armed counts the machines from now on.
func (w *world) armed() { w.mu.Lock(); defer w.mu.Unlock(); w.fewest = len(w.look()) }

// settled wants so many members, all of them voters, and nothing done that nobody should have asked for.
func (w *world) settled(size int) {
	w.t.Helper()
	names := w.Members()
	if len(names) != size || slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "?") || n == "" }) {
		w.t.Errorf("the members are %q, want %d voters", names, size)
	}
	for _, sin := range w.Sins() {
		w.t.Error(sin)
	}
}

func sized(size int, more ...string) string {
	return fmt.Sprintf(`
apiVersion: stackreeve.dev/v1alpha1
kind: EtcdCluster
metadata: {name: kv}
spec: {size: %d, version: 3.5.35, clients: [10.0.0.0/8]%s}
`, size, strings.Join(append([]string{""}, more...), ", "))
}
