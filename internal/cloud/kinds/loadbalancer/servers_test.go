package loadbalancer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest/smallnet"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// servers are the manifests of two servers, and of a network that a router connects with the external network.
var servers = `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: public}
spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}
` +
	smallnet.Network("shop") + smallnet.Router("shop", "public") +
	smallnet.Subnet("shop", "shop", "192.168.60.0/24", "allocationPools: [{start: 192.168.60.100, end: 192.168.60.199}], routerRef: shop") +
	smallnet.Bootable() + smallnet.Port("one-a", "shop", "shop=192.168.60.11") + smallnet.Port("one-b", "shop", "shop=192.168.60.12") +
	smallnet.Port("two", "shop", "shop=192.168.60.20") + smallnet.Server("one", "one-b", "one-a") + smallnet.Server("two", "two")

const ofServers = `
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  vipNetwork: shop
  ports: [{port: 80, protocol: http, realServers: {serverRefs: [one, two]}}]
`

func TestLawsOfServers(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Key: key, Needs: servers, Object: ofServers, Partial: true,
		Edits: []kindtest.Edit{{Field: "spec.ports[0].realServers", Old: "[one, two]", New: "[two]"}},
	}.Run(t)
}

func addresses(t *testing.T, p engine.Pass) string {
	t.Helper()
	list := members(t, p)
	slices.Sort(list)
	return strings.Join(list, " ")
}

// A server's member has the address of the server's first port, in the order of the manifest. For an imported server, it
// is the first port that the cloud shows.
func TestServersAnswerAtTheirFirstPort(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(servers + "\n---\n" + ofServers)
	if got := addresses(t, g.MustSync(servers+"\n---\n"+ofServers)); got != "192.168.60.12 192.168.60.20" {
		t.Errorf("those who answer are %s", got)
	}
	other := g.Beside("")
	imported := servers[:strings.Index(servers, "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: shop}")] + `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: one}
spec: {managementPolicy: unmanaged, import: {filter: {name: two}}}
`
	doc := imported + strings.NewReplacer("[one, two]", "[one]", "name: front", "name: beside").Replace("---\n"+ofServers)
	other.Only(doc)
	pass := other.MustSync(doc)
	if got := addresses(t, pass); got != "192.168.60.20" {
		t.Errorf("behind the other load balancer answers %s", got)
	}
	other.MustSync("")
}

// The floating IP is created, and is associated with the new load balancer if that is replaced. It is deleted when the
// manifest no longer declares it, and the plan shows that the address is lost.
func TestFloatingIPOfALoadBalancer(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	with := servers + "\n---\n" + strings.Replace(ofServers, "  vipNetwork: shop\n", "  vipNetwork: shop\n  floatingIP: {network: public}\n", 1)
	g.Only(with)
	pass := g.MustSync(with)
	found := false
	for _, s := range pass.First.Steps {
		found = found || s.Key.Kind == "FloatingIP" && s.Key.Name == "front" && s.Action == plan.Create
	}
	if !found {
		t.Error("no FloatingIP/front was made")
	}
	for _, s := range g.Plan(servers + "\n---\n" + ofServers).Steps {
		if s.Key.Kind == "FloatingIP" && (s.Action != plan.Delete || strings.Join(s.Loss, "; ") != "its public address") {
			t.Errorf("%s, loses %v", s.Action, s.Loss)
		}
	}
	g.MustSync("")
}

// The server of a virtual machine has no manifest. The message says how to refer to it.
func TestServerOfAVirtualMachine(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	_, err := g.TryResolve("apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachine\nmetadata: {name: web}\nspec: {image: i, flavor: f}\n---\n" +
		strings.NewReplacer("[one, two]", "[web]", "vipNetwork: shop", "vipNetwork: private").Replace(ofServers))
	if !kindtest.Refuses(err, "spec.ports[0].realServers.serverRefs[0]") {
		t.Errorf("got %v", err)
	}
}
