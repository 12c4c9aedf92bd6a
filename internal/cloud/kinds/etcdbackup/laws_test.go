package etcdbackup_test

import (
	"net/netip"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/etcdbackup"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/swiftcontainer"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/standin/etcd"
)

func kinds(c *cloud.Client, d defaults.Defaults) []*kind.Kind {
	d.MachineNetworks = []string{"10.0.0.0/24"}
	return []*kind.Kind{swiftcontainer.Kind(c, d), etcdbackup.Kind(c, d)}
}

const needs = `
apiVersion: stackreeve.dev/v1alpha1
kind: SwiftContainer
metadata: {name: backups}
spec: {resource: {}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: SwiftContainer
metadata: {name: others}
spec: {resource: {}}
`

const object = `
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdBackup
metadata: {name: hourly}
spec:
  etcdEndpoints: ["http://10.0.0.1:2379", "http://10.0.0.2:2379", "http://10.0.0.3:2379"]
  storageType: Swift
  swift: {container: backups}
  backupPolicy: {backupIntervalInSecond: 3600, maxBackups: 2, timeoutInSecond: 60}
  onDelete: delete
`

var key = manifest.Key{Group: define.WorkloadGroup, Kind: "EtcdBackup", Namespace: "default", Name: "hourly"}

// members starts a simulated cluster of three members, and returns it with a way to connect to it.
func members(t *testing.T) (*etcd.World, outbound.Machines) {
	t.Helper()
	disks := map[string]string{"10.0.0.1": "a", "10.0.0.2": "b", "10.0.0.3": "c"}
	w := etcd.New(func(address string) *etcd.Machine {
		if disks[address] == "" {
			return nil
		}
		return &etcd.Machine{Disk: disks[address]}
	})
	w.Start("10.0.0.1", "10.0.0.2", "10.0.0.3")
	w.Fill("all the keys and values")
	network := w.Network()
	t.Cleanup(network.Close)
	return w, outbound.Machines{Through: network.Dial, Within: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}}
}

const (
	inMark  = "nothing but the mark says in the cloud what was applied"
	further = "is about those that are taken from then on"
	noted   = "has no meaning, and is noted"
)

func TestLaws(t *testing.T) {
	_, machines := members(t)
	kindtest.Suite{
		Kinds: kinds, Needs: needs, Object: object, Key: key, Machines: machines,
		Edits: []kindtest.Edit{{Field: kind.MarkField, Old: "3600", New: "7200"}},
		Unseen: map[string]string{"spec.clusterRef": further, "spec.etcdEndpoints": further, "spec.storageType": "is Swift", "spec.swift": further, "spec.swift.container": further,
			"spec.backupPolicy": inMark, "spec.backupPolicy.backupIntervalInSecond": inMark, "spec.backupPolicy.maxBackups": inMark, "spec.backupPolicy.timeoutInSecond": inMark, "spec.onDelete": inMark,
			"spec.clientTLSSecret": noted, "spec.insecureSkipVerify": noted, "spec.abs": noted, "spec.gcs": noted, "spec.oss": noted},
		Unadopted: "what people copy there by hand is no part of a series",
	}.Run(t)
}
