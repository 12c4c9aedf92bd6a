package loadbalancer_test

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/barbicansecret"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/loadbalancer"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/network"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/secret"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/subnet"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// Two certificates with keys that are used nowhere (openssl pkcs12 -export without a password), and a certificate
// without a key.
var (
	//go:embed testdata/shop.p12
	shopCertificate []byte
	//go:embed testdata/other.p12
	otherCertificate []byte
	//go:embed testdata/shop.pem
	authority []byte
)

func terminating(c *cloud.Client, d defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{secret.Kind(), barbicansecret.Kind(c), network.Kind(c), subnet.Kind(c), loadbalancer.Kind(c, d)}
}

// certificates returns the manifests of the secrets in Barbican.
func certificates() string {
	text := ""
	for _, one := range []struct {
		name, kind string
		payload    []byte
	}{{"shop", "application/octet-stream", shopCertificate}, {"other", "application/octet-stream", otherCertificate}, {"authority", "text/plain", authority}} {
		text += fmt.Sprintf(`
---
{apiVersion: v1, kind: Secret, metadata: {name: %[1]s}, data: {payload: %[3]s}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: BarbicanSecret, metadata: {name: %[1]s}, spec: {resource: {payloadRef: %[1]s, payloadContentType: %[2]s}}}
`, one.name, one.kind, base64.StdEncoding.EncodeToString(one.payload))
	}
	return text
}

const terminated = `
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  vipNetwork: dual
  additionalVIPs:
    - {subnetRef: six}
  ports:
    - port: 443
      protocol: terminatedHTTPS
      insertHeaders: [X-SSL-Client-DN]
      tls:
        barbicanRef: shop
        sniBarbicanRefs: [other]
        ciphers: ECDHE-RSA-AES128-GCM-SHA256
        versions: [TLSv1.2, TLSv1.3]
        alpnProtocols: [h2, http/1.1]
        clientCABarbicanRef: authority
        clientAuthentication: optional
      realServers: {port: 80, addresses: [10.79.0.241]}
      l7Policies:
        - action: reject
          rules: [{type: sslConnHasCert, compareType: equalTo, value: "True", invert: true}]
`

const dual = `
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: dual}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: four}, spec: {resource: {networkRef: dual, ipVersion: 4, cidr: 10.79.0.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: six}, spec: {resource: {networkRef: dual, ipVersion: 6, cidr: "fd00:79::/64"}}}
`

// The laws also hold for a load balancer that terminates TLS and has a further address.
func TestLawsOfTermination(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: terminating,
		Key:   key, Object: terminated, Needs: dual + certificates(), Partial: true,
		Edits: []kindtest.Edit{
			{Field: "spec.ports[0].tls.barbicanRef", Old: "barbicanRef: shop", New: "barbicanRef: other"},
			{Field: "spec.ports[0].tls.sniBarbicanRefs", Old: "[other]", New: "[]"},
			{Field: "spec.ports[0].tls.ciphers", Old: "AES128-GCM-SHA256", New: "AES256-GCM-SHA384"},
			{Field: "spec.ports[0].tls.versions", Old: "[TLSv1.2, TLSv1.3]", New: "[TLSv1.3]"},
			{Field: "spec.ports[0].tls.clientAuthentication", Old: "optional", New: "mandatory"},
		},
	}.Run(t)
}

// If a certificate changes, a new secret is created, and the load balancer uses the new one from then on. A secret that
// the load balancer uses is not deleted.
func TestFollowsItsCertificate(t *testing.T) {
	g := kindtest.NewTarget(t, terminating)
	text := dual + certificates() + "---" + terminated
	g.Only(text)
	before := map[string]string{}
	for _, s := range g.MustSync(text).Last.Steps {
		before[s.Key.Kind+"/"+s.Key.Name] = s.ID()
	}
	renewed := strings.Replace(text, base64.StdEncoding.EncodeToString(shopCertificate), base64.StdEncoding.EncodeToString(otherCertificate), 1)
	pass := g.MustSync(renewed)
	did := map[string]plan.Action{}
	for _, r := range pass.Results {
		did[r.Step.Key.Kind+"/"+r.Step.Key.Name] = r.Step.Action
	}
	if did["LoadBalancer/front"] != plan.Update || len(did) != 2 {
		t.Errorf("did %v, want the secret to be made again and the load balancer to be updated", did)
	}
	for _, s := range pass.Last.Steps {
		if same := s.ID() == before[s.Key.Kind+"/"+s.Key.Name]; same == (s.Key.Kind == "BarbicanSecret" && s.Key.Name == "shop") {
			t.Errorf("%s is %s and was %s", s.Key, s.ID(), before[s.Key.Kind+"/"+s.Key.Name])
		}
	}
	if again := g.MustSync(renewed); len(again.Results) != 0 {
		t.Errorf("%d steps once it is done", len(again.Results))
	}
	for _, s := range g.Plan(dual).Steps {
		if s.Key.Kind == "BarbicanSecret" && !slices.Contains(s.Blockers, "LoadBalancer/front") {
			t.Errorf("%s is deleted without waiting for the load balancer, but for %q", s.Key, s.Blockers)
		}
	}
	g.MustSync(dual)
}
