package etcdbackup_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	kindsof "github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/etcdbackup"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// The agent connects to members with the TLS settings of the cluster's manifest, or with a Secret that contains all of
// them.
func TestHowMembersAreAsked(t *testing.T) {
	g := kindtest.NewTarget(t, kindsof.Kinds)
	g.Defaults.Etcd = &defaults.Etcd{Image: "centos79", Flavor: "n3-1vcpu-2gb", MasterKeyFile: "/etc/stackreeve/etcd.key"}
	named := func(more string) string {
		return strings.Replace(all, `etcdEndpoints: ["http://10.0.0.1:2379", "http://10.0.0.2:2379", "http://10.0.0.3:2379"]`, "clusterRef: kv"+more, 1)
	}
	at := func(endpoint string) string {
		return strings.Replace(all, `["http://10.0.0.1:2379", "http://10.0.0.2:2379", "http://10.0.0.3:2379"]`, "["+endpoint+"]", 1)
	}
	kv := func(tls string) string {
		return "---\n{apiVersion: stackreeve.dev/v1alpha1, kind: EtcdCluster, metadata: {name: kv}, spec: {size: 3, clients: [10.0.0.0/8]" + tls + "}}\n"
	}
	const auto, own = ", TLS: {auto: {generation: 7}}", "\n  clientTLSSecret: own"
	secret := func(entries string) string {
		return "---\n{apiVersion: v1, kind: Secret, metadata: {name: own}, stringData: {" + entries + "}}\n"
	}
	whole := secret("etcd-client.crt: hunter2, etcd-client.key: hunter2, etcd-client-ca.crt: hunter2")
	for name, c := range map[string]struct{ text, want string }{
		"without TLS":           {named("") + kv(""), "\"\" 0"},
		"derived keys":          {named("") + kv(auto), "\"\" 7"},
		"no such Secret":        {named(own) + kv(auto), "spec.clientTLSSecret: refers to Secret/own"},
		"half a Secret":         {named(own) + kv(auto) + secret("etcd-client.crt: x"), "spec.clientTLSSecret: Secret/own has no data.etcd-client.key"},
		"no certificate":        {named(own) + kv(auto) + whole, "spec.clientTLSSecret: etcd-client.crt of Secret/own"},
		"no such own Secret":    {at("'https://10.0.0.1:2379']" + own + " #"), "spec.clientTLSSecret: refers to Secret/own"},
		"in capital letters":    {at(`"HTTPS://10.0.0.1:2379"`), "spec.clientTLSSecret: "},
		"of IPv6":               {at("'https://[fd00::1]:2379']"+own+" #") + kindtest.CertificateSecret(t, "own", "etcd-client"), "\"own\" 0"},
		"a Secret for no TLS":   {named(own) + kv("") + kindtest.CertificateSecret(t, "own", "etcd-client"), "\"\" 0"},
		"a Secret for the rest": {named(own) + kv(auto) + kindtest.CertificateSecret(t, "own", "etcd-client"), "\"own\" 0"},
	} {
		wants, err := g.TryResolve(c.text)
		got := fmt.Sprint(err)
		for _, d := range wants {
			if s, ok := d.Spec.(*etcdbackup.Spec); ok && err == nil {
				used := cmp.Or(s.TLS, &kind.TLS{})
				got = fmt.Sprintf("%q %d", used.SecretRef, used.Generation)
			}
		}
		if !strings.Contains(got, c.want) || strings.Contains(got, "hunter2") || strings.Contains(got, "spec.-") {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}
