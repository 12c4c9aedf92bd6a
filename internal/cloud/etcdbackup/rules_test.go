package etcdbackup_test

import (
	"fmt"
	"strings"
	"testing"

	kindsof "github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// A cluster that answers with TLS only is refused, since nobody would ever get a snapshot of it.
func TestAClusterWithTLSIsRefused(t *testing.T) {
	g := kindtest.NewTarget(t, kindsof.Kinds)
	g.Defaults.Etcd = &defaults.Etcd{Image: "centos79", Flavor: "n3-1vcpu-2gb", MasterKeyFile: "/etc/stackreeve/etcd.key"}
	of := strings.Replace(all, `etcdEndpoints: ["http://10.0.0.1:2379", "http://10.0.0.2:2379", "http://10.0.0.3:2379"]`, "clusterRef: kv", 1)
	for tls, want := range map[string]string{"": "", ", TLS: {auto: {}}": "spec.clusterRef: refers to EtcdCluster/kv, which has TLS"} {
		_, err := g.TryResolve(of + "---\n{apiVersion: stackreeve.dev/v1alpha1, kind: EtcdCluster, metadata: {name: kv}, spec: {size: 3, clients: [10.0.0.0/8]" + tls + "}}\n")
		if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %s\nwant %s", tls, got, want)
		}
	}
}
