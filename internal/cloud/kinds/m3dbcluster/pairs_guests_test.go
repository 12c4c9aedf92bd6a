package m3dbcluster_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
)

// parts are the optional parts of a manifest. With named, etcd is an EtcdCluster of the repository. With elsewhere, the manifest has its addresses.
// With both, it has a whole configuration. With neither, the M3DBCluster creates an etcd.
type parts struct{ named, elsewhere, claim, tls, archive, single, options, zones, network, clients bool }

// For each pair of optional parts, there are clusters on real machines with both parts, with either, and with neither. The first cluster has no
// optional part: it is the published manifest unchanged, with the etcd that is created for it. All clusters store data, and a second plan is empty.
func TestM3DBOptionalPartsByPairsOnRealMachines(t *testing.T) {
	for i, has := range kindtest.Pairs(t, 10) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			withParts(t, parts{has[0], has[1], has[2], has[3], has[4], has[5], has[6], has[7], has[8], has[9]})
		})
	}
}

func withParts(t *testing.T, has parts) {
	g := guests(t)
	master, err := pki.New(bytes.Repeat([]byte{11}, pki.ShortestKey))
	if err != nil {
		t.Fatal(err)
	}
	g.Defaults.Keys.Master, g.Defaults.Etcd.MasterKeyFile = master, "key"
	packed := []string{""}
	if has.archive {
		packed = archive(t)
	}
	around := has.around(t, g.Stack, master)
	g.Only(around + has.manifest("192.0.2.7", packed))
	address := ""
	if has.elsewhere {
		g.MustSyncGuests(t, 10*time.Minute, around)
		address = kindtest.AddressOf(t, g.Client(nil), "kv-0")
	}
	manifests := around + has.manifest(address, packed)
	if has == (parts{}) {
		manifests = published(t, 1)
	}
	t.Logf("%+v", has)
	g.MustSyncGuests(t, 20*time.Minute, manifests)
	s := &series{t: t, written: map[int64]float64{}}
	s.reach(g, has.groups())
	written := time.Now().Unix()
	s.put(t.Context(), written, 42)
	for there := map[string]bool(nil); there == nil && time.Now().Before(time.Unix(written+60, 0)); <-time.After(g.Interval()) {
		there, _ = s.read(written, written) // the first number of a series becomes readable shortly after it was acknowledged
	}
	s.judge()
	for _, step := range g.Plan(manifests).Steps {
		if step.Action.Writes() {
			t.Errorf("a second plan would %s %s: %s", step.Action, step.Key, step.ShortCause())
		}
	}
}

// archive returns the address and the digest of an archive that contains M3DB's program.
func archive(t *testing.T) []string {
	t.Helper()
	made, err := exec.CommandContext(t.Context(), "../../../../deploy/devcloud/m3db").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "1.5.0.tar.gz")
	if out, err := exec.CommandContext(t.Context(), "tar", "-czf", file, "-C", strings.TrimSpace(string(made)), "1.5.0/m3dbnode").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"http://" + kindtest.ServeGuests(t, folder) + "/{version}.tar.gz", fmt.Sprintf("%x", sha256.Sum256(packed))}
}

// groups is the number of isolation groups. It is also the number of replicas of each shard.
func (has parts) groups() int {
	if has.single {
		return 1
	}
	return 3
}

// around are the manifests in addition to the cluster: a network, an etcd, and a certificate for the etcd.
func (has parts) around(t *testing.T, stack string, master *pki.Master) (docs string) {
	t.Helper()
	const front = `---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: front}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: front}, spec: {resource: {networkRef: front, ipVersion: 4, cidr: 192.168.62.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: SecurityGroup, metadata: {name: further}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: KeyPair, metadata: {name: pair}, spec: {resource: {publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGs2Rbb3wEpSKLwTdzkZb4Gx+ZgpvuzQ4hHrJNMnSjnr ada@example.com"}}}
`
	if has.network {
		docs += front
	}
	if !has.named && !has.elsewhere {
		return docs
	}
	more := ""
	if has.network {
		more += ", machine: {network: front}"
	}
	if has.tls {
		more += ", TLS: {auto: {}}"
	}
	docs += "---\n{apiVersion: stackreeve.dev/v1alpha1, kind: EtcdCluster, metadata: {name: kv}, spec: {size: 1, version: 3.5.35, clients: [0.0.0.0/0]" + more + "}}\n"
	if has.tls && has.elsewhere {
		authority, err := master.Authority(pki.Scope{Stack: stack, Namespace: "default", Cluster: "kv"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		own, err := authority.Client("m3db")
		if err != nil {
			t.Fatal(err)
		}
		docs += fmt.Sprintf("---\n{apiVersion: v1, kind: Secret, metadata: {name: own}, stringData: {etcd-client.crt: %q, etcd-client.key: %q, etcd-client-ca.crt: %q}}\n", own.Cert, own.Key, own.Trust)
	}
	return docs
}

// manifest is the manifest of the cluster. Unless the manifest names an EtcdCluster, its etcd is at the address etcd.
func (has parts) manifest(etcd string, packed []string) string {
	docs := "---\napiVersion: operator.m3db.io/v1alpha1\nkind: M3DBCluster\nmetadata: {name: simple-cluster}\nspec:\n  image: quay.io/m3db/m3dbnode:v1.5.0\n  numberOfShards: 8\n"
	groups := []string{"{name: a, numInstances: 1}", "{name: b, numInstances: 1}", "{name: c, numInstances: 1}"}
	if has.zones {
		groups = []string{"{name: a, numInstances: 1, zone: dev}", "{name: b, numInstances: 1, zone: az-a}", "{name: c, numInstances: 1, zone: az-a}"}
	}
	docs += fmt.Sprintf("  replicationFactor: %d\n  isolationGroups: [%s]\n", has.groups(), strings.Join(groups[:has.groups()], ", "))
	namespace := "preset: 10s:2d"
	if has.options {
		namespace = "options: {bootstrapEnabled: true, flushEnabled: true, writesToCommitLog: true, retentionOptions: {retentionPeriod: 12h, blockSize: 2h, bufferFuture: 10m, bufferPast: 10m}, " +
			"indexOptions: {enabled: true, blockSize: 2h}, aggregationOptions: {aggregations: [{aggregated: false}]}}"
	}
	docs += "  namespaces: [{name: plain, " + namespace + "}]\n"
	if has.claim {
		docs += "  dataDirVolumeClaimTemplate: {spec: {resources: {requests: {storage: 2Gi}}}}\n"
	}
	if has.archive {
		docs += "  repository: " + packed[0] + "\n  checksum: " + packed[1] + "\n"
	}
	if has.network {
		docs += "  machine: {network: front, subnet: front, keyPair: pair, securityGroups: [further]}\n"
	}
	if has.clients {
		docs += "  clients: [0.0.0.0/0]\n  labels: {team: metrics}\n  onDeleteUpdateStrategy: true\n"
	}
	return docs + has.etcd(etcd)
}

// etcd returns the fields that say how the machines find etcd.
func (has parts) etcd(address string) (fields string) {
	at := "http://" + address + ":2379"
	if has.tls && has.elsewhere {
		at = "https://" + address + ":2379"
		fields = "  etcdTLSSecret: own\n"
	}
	switch {
	case has.named && has.elsewhere:
		return fields + "  configMapName: whole\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: whole}, data: {m3.yml: " + quoted(configuration(at, has.tls)) + "}}\n"
	case has.named:
		return fields + "  etcdClusterRef: kv\n"
	case has.elsewhere:
		return fields + "  etcdEndpoints: [" + at + "]\n"
	}
	return fields
}

func quoted(text string) string { quoted, _ := json.Marshal(text); return string(quoted) }

// configuration is a whole configuration of M3DB, as a user would write it after reading the documentation of the field.
func configuration(etcd string, tls bool) string {
	shown := ""
	if tls {
		shown = ", tls: {crtPath: /etc/m3db/etcd/client.crt, keyPath: /etc/m3db/etcd/client.key, caCrtPath: /etc/m3db/etcd/ca.crt}"
	}
	return `coordinator: {listenAddress: "0.0.0.0:7201"}
db:
  hostID: {resolver: file, file: {path: /etc/m3db/pod-identity/identity}}
  listenAddress: 0.0.0.0:9000
  clusterListenAddress: 0.0.0.0:9001
  httpNodeListenAddress: 0.0.0.0:9002
  httpClusterListenAddress: 0.0.0.0:9003
  filesystem: {filePathPrefix: /var/lib/m3db}
  discovery:
    type: config
    config:
      services:
        - service: {service: m3db, env: default/simple-cluster, zone: embedded, cacheDir: /var/lib/m3kv, etcdClusters: [{zone: embedded, endpoints: ["` + etcd + `"]` + shown + `}]}
`
}
