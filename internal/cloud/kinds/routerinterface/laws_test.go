package routerinterface_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest/smallnet"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

var needs = `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {}}
` +
	smallnet.Subnet("web", "front", "192.168.70.0/24") + smallnet.Subnet("app", "front", "192.168.71.0/24", "gateway: {type: None}") +
	smallnet.Router("edge") + smallnet.Router("inner")

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: RouterInterface
metadata: {name: edge-web}
spec:
  type: Subnet
  routerRef: edge
  subnetRef: web
`

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Needs: needs, Object: object,
		Key: manifest.Key{Group: define.OrcGroup, Kind: "RouterInterface", Namespace: "default", Name: "edge-web"},
		Edits: []kindtest.Edit{
			{Field: "spec.routerRef", Old: "routerRef: edge", New: "routerRef: inner", Replaces: true},
			{Field: "spec.subnetRef", Old: "subnetRef: web", New: "subnetRef: app", Replaces: true},
		},
	}.Run(t)
}

func TestStatus(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(needs + "\n---\n" + object)
	g.MustSync(needs + "\n---\n" + object)
	shown := g.Shown(needs+"\n---\n"+object, manifest.Key{Kind: "RouterInterface", Name: "edge-web"})
	if got := strings.Join(slices.Sorted(maps.Keys(shown)), " "); got != "addresses routerID status subnetIDs" {
		t.Errorf("fields are %s: %v", got, shown)
	}
}

// A router interface has the gateway's address, even if the other ports on the
// subnet configure their own addresses.
func TestOnASubnetOfAutomaticAddresses(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	const six = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: six}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Router
metadata: {name: six}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: six}
spec:
  resource: {networkRef: six, routerRef: six, ipVersion: 6, cidr: "fd00:6::/64", gateway: {type: IP, ip: "fd00:6::2"}, ipv6: {addressMode: slaac, raMode: slaac}}
`
	g.Only(six)
	g.MustSync(six)
}
