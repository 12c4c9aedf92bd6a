package floatingip_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest/smallnet"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

var needs = `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: public}
spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}
` +
	smallnet.Network("front") + smallnet.Router("edge", "public") +
	smallnet.Subnet("web", "front", "192.168.50.0/24", "allocationPools: [{start: 192.168.50.100, end: 192.168.50.199}], routerRef: edge") +
	smallnet.Port("web-1", "front", "web=192.168.50.10", "web=192.168.50.11") + smallnet.Port("web-2", "front", "web=192.168.50.20")

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: FloatingIP
metadata: {name: www}
spec:
  resource:
    description: the way in
    tags: [web, blue]
    floatingNetworkRef: public
    portRef: web-1
    fixedIP: 192.168.50.10
`

var key = manifest.Key{Group: define.OrcGroup, Kind: "FloatingIP", Namespace: "default", Name: "www"}

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Key: key, Needs: needs, Object: object,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.floatingNetworkRef", Old: "floatingNetworkRef: public", New: "floatingNetworkRef: front", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.floatingSubnetRef", Old: "floatingNetworkRef: public", New: "floatingSubnetRef: web", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.floatingIP", Old: "portRef: web-1", New: "portRef: web-1\n    floatingIP: 192.0.2.1", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.fixedIP", Old: "192.168.50.10", New: "192.168.50.11"},
			{Field: "spec.resource.portRef", Old: "    portRef: web-1\n    fixedIP: 192.168.50.10\n", New: "    portRef: web-2\n"},
			{Field: "spec.resource.portRef", Old: "    portRef: web-1\n    fixedIP: 192.168.50.10\n", New: ""},
		},
		Unseen: map[string]string{
			"spec.resource.dnsName":      "needs an extension, see TestLawsWithMoreExtensions",
			"spec.resource.dnsDomain":    "needs an extension, see TestLawsWithMoreExtensions",
			"spec.resource.qosPolicyRef": "is an administrator's policy, see qospolicy TestInForce",
		},
	}.Run(t)
}

func TestLawsWithMoreExtensions(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Key: key, Needs: needs, Object: strings.Replace(object, "portRef: web-1", "dnsName: WWW\n    dnsDomain: Example.org.\n    portRef: web-1", 1),
		Partial: true, Simulator: &simulator.Options{MoreNetwork: true},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.dnsName", Old: "dnsName: WWW", New: "dnsName: shop", Replaces: true},
			{Field: "spec.resource.dnsDomain", Old: "dnsDomain: Example.org.", New: "dnsDomain: example.com.", Replaces: true},
		},
	}.Run(t)
}

// A cloud without external DNS stores no names of floating IPs. The plan notes that, and does not replace the address
// because of it.
func TestNamesThatTheCloudDoesNotKeep(t *testing.T) {
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{MoreNetwork: true, WithoutExternalDNS: true})
	named := needs + "---" + strings.Replace(object, "portRef: web-1", "dnsName: www\n    dnsDomain: example.org.\n    portRef: web-1", 1)
	g.Only(named)
	g.MustSync(named)
	address := idsOf(g.Plan(named))["www"]
	if pass := g.MustSync(named); len(pass.Results) > 0 {
		t.Errorf("the second pass did something: %v", pass.Results)
	}
	for _, s := range g.Plan(named).Steps {
		if s.Key == key && (len(s.Changes) > 0 || len(s.Notes) != 2 || s.ID() != address) {
			t.Errorf("changes %v, notes %v of %s; want two notes of %s", s.Changes, s.Notes, s.ID(), address)
		}
	}
}

func TestValidate(t *testing.T) {
	target := kindtest.NewTarget(t, all.Kinds)
	target.RefusesEdits(needs, object, map[string][3]string{
		"no network":           {"    floatingNetworkRef: public\n", "", "spec.resource.floatingNetworkRef"},
		"network and subnet":   {"floatingNetworkRef: public", "floatingNetworkRef: public\n    floatingSubnetRef: web", "spec.resource.floatingSubnetRef"},
		"address without port": {"    portRef: web-1\n", "", "spec.resource.fixedIP"},
		"port and balancer":    {"    fixedIP: 192.168.50.10\n", "    loadBalancerRef: front\n", "spec.resource.loadBalancerRef"},
		"address of balancer":  {"portRef: web-1", "loadBalancerRef: front", "spec.resource.fixedIP"},
		"balancer not there":   {"    portRef: web-1\n    fixedIP: 192.168.50.10\n", "    loadBalancerRef: front\n", "spec.resource.loadBalancerRef"},
		"port not there":       {"portRef: web-1", "portRef: web-3", "spec.resource.portRef"},
	})
}

// Neutron cannot associate an address with a port that no router connects with the external network. The agent waits
// some time for a router.
func TestNoWayToThePort(t *testing.T) {
	const elsewhere = "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: lost}\n" +
		"spec: {resource: {networkRef: front, ipVersion: 4, cidr: 192.168.51.0/24}}\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Port\n" +
		"metadata: {name: lost}\nspec: {resource: {networkRef: front, addresses: [{subnetRef: lost}]}}\n---\n"
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(needs + elsewhere + object)
	g.MustSync(needs + elsewhere + object)
	moved := strings.NewReplacer("portRef: web-1", "portRef: lost", "    fixedIP: 192.168.50.10\n", "").Replace(object)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	agent := g.Engine(g.Client(nil))
	agent.Timing.BusyWait = 100 * time.Millisecond
	pass := agent.Sync(ctx, engine.Revision{Commit: "test", Want: g.Resolve(needs + elsewhere + moved)})
	if pass.Interrupted || pass.Outcome() != plan.Broken || len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "no route yet") {
		t.Errorf("interrupted %v, %s: %v; want one failure that says what is missing", pass.Interrupted, pass.Outcome(), pass.Failures)
	}
}

// The plan notes that no router connects a port with the external network, before any request is sent.
func TestNoWayIsNoted(t *testing.T) {
	const machine = "\n---\napiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachine\nmetadata: {name: shop}\nspec: {image: cirros, flavor: m1.nano, network: front, floatingIP: {network: public}}\n"
	g := kindtest.NewTarget(t, all.Kinds)
	for name, tt := range map[string]struct {
		manifests string
		noted     bool
	}{
		"a router":           {needs + "\n---\n" + object + machine, false},
		"none":               {strings.Replace(needs, ", routerRef: edge", "", 1) + "\n---\n" + object, true},
		"none for a machine": {strings.Replace(needs, ", routerRef: edge", "", 1) + machine, true},
		"an interface":       {strings.Replace(needs, ", routerRef: edge", "", 1) + "\n---\n" + object + "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: RouterInterface\nmetadata: {name: way}\nspec: {type: Subnet, routerRef: edge, subnetRef: web}\n", false},
		"somebody's network": {strings.Replace(machine, "network: front", "network: private", 1) + "\n---\n" + needs, false},
	} {
		if notes := notesOf(t, g, tt.manifests); strings.Contains(notes, " Subnet/web") != tt.noted {
			t.Errorf("%s: noted %q", name, notes)
		}
	}
}

func notesOf(t *testing.T, g *kindtest.Target, manifests string) (notes string) {
	t.Helper()
	want, err := g.TryResolve(manifests)
	if err != nil {
		t.Errorf("%v in:\n%s", err, manifests)
	}
	for _, d := range want {
		for _, n := range d.Notes {
			notes += n.Field + ": " + n.Text + "\n"
		}
	}
	return notes
}

// A router to another external network does not help. The plan notes that too, if the repository shows it.
func TestWayToAnotherNetworkIsNoted(t *testing.T) {
	const ext = "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: ext}\nspec: {managementPolicy: unmanaged, import: {filter: {name: FILTER}}}\n"
	elsewhere := strings.Replace(needs, "externalGateways: [{networkRef: public}]", "externalGateways: [{networkRef: ext}]", 1) + strings.Replace(ext, "FILTER", "elsewhere", 1)
	nowhere := strings.Replace(needs, "externalGateways: [{networkRef: public}]", "", 1)
	const somewhere = "spec: {managementPolicy: unmanaged, import: {filter: {name: edge}}}"
	const machine = "\n---\napiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachine\nmetadata: {name: shop}\nspec: {image: cirros, flavor: m1.nano, network: front, floatingIP: {}}\n"
	const balancer = "\n---\napiVersion: stackreeve.dev/v1alpha1\nkind: LoadBalancer\nmetadata: {name: front}\nspec: {vipNetwork: front, ports: [{port: 80, protocol: http, realServers: {addresses: [192.168.50.10]}}]}\n---" + toBalancer
	const forwarding = "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: FloatingIP\nmetadata: {name: gate}\nspec: {resource: {floatingNetworkRef: public}}\n" +
		"---\napiVersion: stackreeve.dev/v1alpha1\nkind: PortForwarding\nmetadata: {name: ssh}\nspec: {resource: {floatingIPRef: gate, protocol: tcp, externalPort: 22, portRef: web-2, internalPort: 22}}\n"
	g := kindtest.NewTarget(t, all.Kinds)
	const other, none = "Router/edge Subnet/web Network/public", "Router/edge Subnet/web"
	for name, tt := range map[string]struct{ manifests, values string }{ // values are parts of the note
		"another":                  {elsewhere + "\n---" + object, "spec.resource.portRef: " + other},
		"none":                     {nowhere + "\n---" + object, "spec.resource.portRef: " + other},
		"perhaps the same":         {strings.Replace(elsewhere, "filter: {name: elsewhere}", "id: 2b2e5a3c-0000-4000-8000-000000000000", 1) + "\n---" + object, ""},
		"the same":                 {strings.Replace(elsewhere, "name: elsewhere", "name: public", 1) + "\n---" + object, ""},
		"an imported router":       {strings.Replace(needs, "spec: {resource: {externalGateways: [{networkRef: public}]}}", somewhere, 1) + "\n---" + object, ""},
		"an imported subnet":       {strings.NewReplacer("spec: {resource: {networkRef: front, ipVersion: 4, cidr: 192.168.50.0/24, allocationPools: [{start: 192.168.50.100, end: 192.168.50.199}], routerRef: edge}}", "spec: {managementPolicy: unmanaged, import: {filter: {name: web, networkRef: front}}}").Replace(needs) + "\n---" + object, ""},
		"a balancer":               {needs + balancer, ""},
		"a balancer elsewhere":     {elsewhere + balancer, "spec.resource.loadBalancerRef: " + other},
		"a forwarding":             {needs + forwarding, ""},
		"a forwarding elsewhere":   {elsewhere + forwarding, "spec.resource.portRef: " + other},
		"a machine":                {needs + machine, ""},
		"a machine, perhaps so":    {elsewhere + machine, ""},
		"a machine, with no way":   {nowhere + machine, "Router/edge Subnet/web Network/the-only-external-network"},
		"of a subnet":              {needs + "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: outside}\nspec: {managementPolicy: unmanaged, import: {filter: {name: public-subnet}}}\n---" + strings.Replace(object, "floatingNetworkRef: public", "floatingSubnetRef: outside", 1), ""},
		"of a subnet, with no way": {nowhere + "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: outside}\nspec: {managementPolicy: unmanaged, import: {filter: {name: public-subnet}}}\n---" + strings.Replace(object, "floatingNetworkRef: public", "floatingSubnetRef: outside", 1), none},
	} {
		notes := notesOf(t, g, tt.manifests)
		if (tt.values == "") != (notes == "") || tt.values == none && strings.Contains(notes, "Network/") {
			t.Errorf("%s: noted %q, want %q", name, notes, tt.values)
		}
		for _, value := range strings.Fields(tt.values) {
			if !strings.Contains(notes, value) {
				t.Errorf("%s: noted %q, want %q", name, notes, value)
			}
		}
	}
}

// The QoS policy of a floating IP is changed while the floating IP is associated with one of several addresses of a
// port. Then Neutron requires the association in every update.
func TestPolicyInFrontOfSeveralAddresses(t *testing.T) {
	const policy = "\n---\napiVersion: stackreeve.dev/v1alpha1\nkind: QoSPolicy\nmetadata: {name: gold}\nspec: {resource: {}}\n---"
	g := kindtest.NewTarget(t, all.Kinds).Beside("admin")
	g.Only(needs + policy + object)
	g.MustSync(needs + policy + object)
	g.MustSync(needs + policy + object + "    qosPolicyRef: gold\n")
	g.MustSync(needs + policy + object + "    qosPolicyRef: \"\"\n")
}
