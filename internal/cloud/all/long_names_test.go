package all_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const longestStack = "production-of-the-tokyo-region-blue-half"

// The longest stack name, the longest kind and the longest object name fit into
// an owner text, which is still one of that stack alone.
func TestOwnerTextsOfTheLongestNames(t *testing.T) {
	if len(longestStack) != kind.MaxStackName {
		t.Fatalf("%d bytes", len(longestStack))
	}
	for _, k := range plan.Ownable(all.Kinds(nil, defaults.Defaults{})) {
		for _, name := range []string{"a", strings.Repeat("n", 253)} {
			text := kind.OwnerText(longestStack, manifest.Key{Kind: k, Namespace: strings.Repeat("s", 63), Name: name})
			o, ok := kind.ParseOwner(text)
			if len(text) > kind.MaxOwnerText || !ok || !o.Of(longestStack) || o.Of(longestStack[:20]) || o.Of(strings.Repeat("x", 40)) || o.Kind != k {
				t.Errorf("%s (%d bytes) is read as %+v, %v", text, len(text), o, ok)
			}
		}
	}
}

// What a stack of the longest name owns is found again, whoever carries the mark
// of it, and nothing of it is taken for that of a stack whose name begins alike.
func TestTheLongestStackName(t *testing.T) {
	long := strings.Repeat("n", 240)
	manifests := strings.NewReplacer("LONG", long, "SIXTY", strings.Repeat("d", 60), "GROUP", strings.Repeat("g", 190)).Replace(imported + `
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: ServerGroup, metadata: {name: GROUP}, spec: {resource: {policy: affinity}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: KeyPair
metadata: {name: LONG}
spec: {resource: {publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada"}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: DNSZone, metadata: {name: LONG}, spec: {resource: {name: long.example.org., email: ada@example.org, description: SIXTY}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: LONG}, spec: {resource: {tags: [web]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: LONG}, spec: {resource: {networkRef: LONG, ipVersion: 4, cidr: 10.77.0.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Router, metadata: {name: LONG}, spec: {resource: {externalGateways: [{networkRef: outside}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: RouterInterface, metadata: {name: LONG}, spec: {type: Subnet, routerRef: LONG, subnetRef: LONG}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: SecurityGroup, metadata: {name: LONG}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: LONG}, spec: {resource: {networkRef: LONG, securityGroupRefs: [LONG], addresses: [{subnetRef: LONG}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: FloatingIP, metadata: {name: LONG}, spec: {resource: {floatingNetworkRef: outside, portRef: LONG}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Volume, metadata: {name: LONG}, spec: {resource: {size: 1}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: LONG}
spec: {resource: {imageRef: cirros, flavorRef: m1.nano, keypairRef: LONG, ports: [{portRef: LONG}], volumes: [{volumeRef: LONG}], schedulerHints: {serverGroupRef: GROUP}}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: LONG}
spec:
  vipNetwork: LONG
  ports: [{port: 80, protocol: tcp, realServers: {addresses: [10.77.0.9]}}]
`)
	g := kindtest.NewTarget(t, all.Kinds)
	g.Stack = longestStack
	g.MustSync(manifests)
	if pass := g.Sync(manifests); pass.Outcome() != plan.InSync || len(pass.Results) > 0 {
		t.Errorf("second pass: %s, %d steps", pass.Outcome(), len(pass.Results))
	}
	owned := map[string]bool{}
	for _, s := range g.Sync(manifests).Last.Steps {
		if s.ID() != "" && s.Key.Namespace == "default" {
			owned[s.Key.Kind] = true
		}
	}
	for _, kind := range plan.Ownable(all.Kinds(nil, defaults.Defaults{})) {
		if !owned[kind] {
			t.Errorf("the test makes no %s", kind)
		}
	}
	other := *g
	other.Stack = longestStack[:len(longestStack)-1] + "x"
	if pass := other.Sync(""); len(pass.Results) > 0 {
		t.Errorf("another stack did %d things to them", len(pass.Results))
	}
	g.MustSync("")
	if pass := g.Sync(""); len(pass.First.Steps) > 0 {
		t.Errorf("left: %d steps", len(pass.First.Steps))
	}
}
