package dnsrecordset_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest/smallnet"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// targets are manifests of the objects from which records can be derived. The network has addresses of both families.
var targets = zone + smallnet.Outside + smallnet.Network("front") +
	smallnet.Subnet("four", "front", "192.168.60.0/24", "allocationPools: [{start: 192.168.60.100, end: 192.168.60.199}]") +
	smallnet.Subnet("six", "front", "2001:db8:60::/64") + smallnet.Port("one", "front", "four=192.168.60.11", "six=2001:db8:60::11", "four=192.168.60.12") +
	smallnet.Port("two", "front", "four=192.168.60.20") + smallnet.Bootable() + smallnet.Server("box", "one", "two") +
	smallnet.FloatingIP("way") + `---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachine
metadata: {name: vm}
spec: {image: centos79, flavor: n3-1vcpu-2gb, network: front, subnet: four, fixedIP: 192.168.60.40, ports: [{name: other, network: front, subnet: four}]}
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: balancer}
spec: {vipNetwork: front, vipAddress: 192.168.60.70, ports: [{port: 80, protocol: http, realServers: {addresses: [192.168.60.11]}}]}
---
apiVersion: verda.linecorp.com/v1alpha1
kind: VirtualMachineGroup
metadata: {name: web}
spec: {replicas: 2, haPolicy: none, template: {image: centos79, flavor: n3-1vcpu-2gb, network: front, subnet: four}}
`

func follower(name, rest string) string {
	return fmt.Sprintf("---\napiVersion: stackreeve.dev/v1alpha1\nkind: DNSRecordSet\nmetadata: {name: %s}\nspec: {resource: {zoneRef: shop, %s}}\n", name, rest)
}

// records returns the cloud's records of a name in the zone.
func records(t *testing.T, g *kindtest.Target, name, of string) []string {
	t.Helper()
	return recordsAt(t, g, name+".shop.example.org.", of)
}

func recordsAt(t *testing.T, g *kindtest.Target, name, of string) []string {
	t.Helper()
	type set struct {
		Name, Type string
		Records    []string
	}
	sets, err := cloud.List[set](t.Context(), g.Client(nil), cloud.Call{Service: cloud.DNS, Path: "recordsets"}, "recordsets")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sets {
		if s.Name == name && s.Type == of {
			slices.Sort(s.Records)
			return s.Records
		}
	}
	return nil
}

func TestRecordsFollow(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := targets
	for _, f := range []struct{ name, of, source, want string }{
		{"port", "A", "portRef: one", "192.168.60.11 192.168.60.12"},
		{"port6", "AAAA", "portRef: one", "2001:db8:60::11"},
		{"server", "A", "serverRef: box", "192.168.60.11 192.168.60.12"},
		{"machine", "A", "virtualMachineRef: vm", "192.168.60.40"},
		{"balancer", "A", "loadBalancerRef: balancer", "192.168.60.70"},
	} {
		doc += follower(f.name, "type: "+f.of+", "+f.source)
		defer func() {
			if got := strings.Join(records(t, g, f.name, f.of), " "); got != f.want {
				t.Errorf("%s %s, %s: %s, want %s", f.name, f.of, f.source, got, f.want)
			}
		}()
	}
	doc += follower("way", "type: A, floatingIPRef: way") + follower("group", "type: A, virtualMachineGroupRef: web")
	g.Only(doc)
	g.MustSync(doc)
	if got := records(t, g, "way", "A"); len(got) != 1 || !strings.Contains(got[0], ".") {
		t.Errorf("the records of the floating IP are %v", got)
	}
	before := records(t, g, "group", "A")
	if len(before) != 2 {
		t.Errorf("the records of a group of two are %v", before)
	}
	// One commit adds a member to the group, and a later one removes all members. The records change in the same pass as
	// the machines. One port also gets another address.
	g.MustSync(strings.NewReplacer("replicas: 2", "replicas: 3", "192.168.60.20", "192.168.60.21").Replace(doc + follower("two", "type: A, portRef: two")))
	if got := records(t, g, "group", "A"); len(got) != 3 || !slices.Contains(got, before[0]) {
		t.Errorf("the records of a group of three are %v, were %v", got, before)
	}
	if got := records(t, g, "two", "A"); len(got) != 1 || got[0] != "192.168.60.21" {
		t.Errorf("the records of the port are %v", got)
	}
	g.MustSync(strings.Replace(doc, "replicas: 2", "replicas: 0", 1))
	if got := records(t, g, "group", "A"); len(got) != 0 {
		t.Errorf("the records of an empty group are %v", got)
	}
	g.MustSync(doc)
}

const toPort = `
apiVersion: stackreeve.dev/v1alpha1
kind: DNSRecordSet
metadata: {name: www}
spec: {resource: {zoneRef: shop, type: A, portRef: one}}
`

func TestLawsOfFollowers(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Key: key, Needs: targets, Object: toPort, Partial: true,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.portRef", Old: "portRef: one", New: "portRef: two"},
			{Field: "spec.resource.records", Old: "portRef: one", New: "records: [192.0.2.1]"},
			{Field: "spec.resource.loadBalancerRef", Old: "portRef: one", New: "loadBalancerRef: balancer"},
			{Field: "spec.resource.floatingIPRef", Old: "portRef: one", New: "floatingIPRef: way"},
			{Field: "spec.resource.virtualMachineRef", Old: "portRef: one", New: "virtualMachineRef: vm"},
			{Field: "spec.resource.virtualMachineGroupRef", Old: "portRef: one", New: "virtualMachineGroupRef: web"},
		},
	}.Run(t)
}

// reverse has the manifests of the zones for reverse lookups of the network's addresses.
var reverse = targets + `---
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: back}
spec: {resource: {name: 60.168.192.in-addr.arpa., email: hostmaster@example.org}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: back6}
spec: {resource: {name: 0.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa., email: hostmaster@example.org}}
`

func pointer(name, zone, rest string) string {
	return fmt.Sprintf("---\napiVersion: stackreeve.dev/v1alpha1\nkind: DNSRecordSet\nmetadata: {name: %s}\nspec: {resource: {zoneRef: %s, type: PTR, %s}}\n", name, zone, rest)
}

// pointers returns the stack's PTR record sets: from the name in the cloud to the name of the manifest.
func pointers(p plan.Plan) map[string]string {
	out := map[string]string{}
	for _, s := range p.Steps {
		if have := s.Have; have != nil && strings.HasSuffix(have.Name, " PTR") {
			out[strings.TrimSuffix(have.Name, " PTR")] = s.Key.Name
		}
	}
	return out
}

// The name of a PTR record set follows from the address of an object, in the zone of that address. Its record is the
// name of another record set.
func TestNamesOfAddresses(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := reverse + follower("port", "type: A, portRef: one") + follower("alias", "type: CNAME, recordSetRef: port") +
		pointer("port-back", "back", "portRef: one, recordSetRef: port") + pointer("port-back6", "back6", "portRef: one, records: [six.example.org.]") +
		pointer("vm-back", "back", "virtualMachineRef: vm, recordSetRef: port") + pointer("box-none", "back", "portRef: two, records: [two.example.org.]")
	g.Only(doc)
	want := map[string]string{"11.60.168.192.in-addr.arpa.": "port-back", "40.60.168.192.in-addr.arpa.": "vm-back", "20.60.168.192.in-addr.arpa.": "box-none",
		"1.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa.": "port-back6"}
	if got := pointers(g.MustSync(doc).Last); !maps.Equal(got, want) {
		t.Errorf("PTR records are %v, want %v", got, want)
	}
	if got := records(t, g, "alias", "CNAME"); len(got) != 1 || got[0] != "port.shop.example.org." {
		t.Errorf("the alias leads to %v", got)
	}
	// Another address needs another record set. The plan of the pass that creates it also shows the deletion of the old
	// one. If a record set is renamed, the records that name it are updated in place.
	moved := strings.NewReplacer("192.168.60.20", "192.168.60.21", "metadata: {name: port}\nspec: {resource: {", "metadata: {name: port}\nspec: {resource: {name: moved, ").Replace(doc)
	g.Sync(moved)
	if got := pointers(g.MustSync(moved).Last); got["21.60.168.192.in-addr.arpa."] != "box-none" || got["20.60.168.192.in-addr.arpa."] != "" {
		t.Errorf("after the move, PTR records are %v", got)
	}
	if got := records(t, g, "alias", "CNAME"); len(got) != 1 || got[0] != "moved.shop.example.org." {
		t.Errorf("after the move, the alias leads to %v", got)
	}
	// An object without an address in the zone is refused.
	if pass := g.Sync(doc + pointer("lost", "back6", "portRef: two, records: [two.example.org.]")); len(pass.Failures) != 1 ||
		!strings.Contains(pass.Failures[0].Reason(), "spec.resource.portRef: Port/two has no address in zone 0.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa.") {
		t.Errorf("failures: %v", pass.Failures)
	}
	g.MustSync("")
}

const backToPort = `
apiVersion: stackreeve.dev/v1alpha1
kind: DNSRecordSet
metadata: {name: www}
spec: {resource: {zoneRef: back, type: PTR, portRef: one, recordSetRef: host}}
`

func TestLawsOfNamesOfAddresses(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Key: key, Needs: reverse + follower("host", "type: A, portRef: one") + follower("other", "type: A, portRef: two"), Object: backToPort, Partial: true,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.portRef", Old: "portRef: one", New: "portRef: two", Replaces: true},
			{Field: "spec.resource.recordSetRef", Old: "recordSetRef: host", New: "recordSetRef: other"},
			{Field: "spec.resource.records", Old: "recordSetRef: host", New: "records: [host.example.org.]"},
			{Field: "spec.resource.virtualMachineRef", Old: "portRef: one", New: "virtualMachineRef: vm", Replaces: true},
		},
	}.Run(t)
}

// If an object has no address of the family, a new record set is refused, and an existing one is not changed.
func TestNoAddressOfTheFamily(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := targets[:strings.Index(targets, "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image")]
	g.Only(doc + follower("x", "type: AAAA, portRef: two"))
	g.MustSync(doc)
	pass := g.Sync(doc + follower("x", "type: AAAA, portRef: two"))
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "spec.resource.portRef: Port/two has no IPv6 address") {
		t.Errorf("failures: %v", pass.Failures)
	}
	g.MustSync(doc + follower("x", "type: AAAA, portRef: one"))
	p := g.Plan(doc + follower("x", "type: AAAA, portRef: two"))
	for _, s := range p.Steps {
		for _, c := range s.Changes {
			if c.Field != "owner mark" {
				t.Errorf("%s: %s: %v -> %v", s.Key, c.Field, c.Have, c.Want)
			}
		}
		if s.Key.Kind == "DNSRecordSet" && (len(s.Notes) != 1 || !strings.Contains(s.Notes[0].Text, "Port/two has no IPv6 address")) {
			t.Errorf("notes: %v", s.Notes)
		}
	}
	g.MustSync("")
}

// reachable has the manifests of a load balancer and a group of machines with floating IPs, and of a private zone.
const reachable = zone + `---
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: inside}
spec: {resource: {name: shop.internal., email: hostmaster@example.org}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: public}
spec: {managementPolicy: unmanaged, import: {filter: {name: public, external: true}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: four}
spec: {resource: {networkRef: front, ipVersion: 4, cidr: 192.168.60.0/24, allocationPools: [{start: 192.168.60.100, end: 192.168.60.199}]}} # no other object gets an address that a manifest names
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Router
metadata: {name: way}
spec: {resource: {externalGateways: [{networkRef: public}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: RouterInterface
metadata: {name: way}
spec: {type: Subnet, routerRef: way, subnetRef: four}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: one}
spec: {resource: {networkRef: front, addresses: [{subnetRef: four, ip: 192.168.60.11}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: FloatingIP
metadata: {name: to-one}
spec: {resource: {floatingNetworkRef: public, portRef: one}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: balancer}
spec: {vipNetwork: front, vipAddress: 192.168.60.70, floatingIP: {network: public}, ports: [{port: 80, protocol: http, realServers: {addresses: [192.168.60.11]}}]}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: web}
spec: {replicas: 2, haPolicy: none, template: {image: centos79, flavor: n3-1vcpu-2gb, network: front, subnet: four, floatingIP: {network: public}}}
`

// The record of an object with a floating IP has the floating IP as its address, unless the zone's name is private or
// addressType says otherwise.
func TestRecordsOfWhatHasAFloatingIP(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := reachable
	for _, f := range []string{"balancer A loadBalancerRef: balancer", "own A loadBalancerRef: balancer, addressType: fixed", "port A portRef: one", "group A virtualMachineGroupRef: web"} {
		name, rest, _ := strings.Cut(f, " A ")
		doc += follower(name, "type: A, "+rest)
	}
	hidden := strings.Replace(follower("hidden", "type: A, loadBalancerRef: balancer"), "zoneRef: shop", "zoneRef: inside", 1)
	shown := strings.Replace(follower("shown", "type: A, loadBalancerRef: balancer, addressType: floating"), "zoneRef: shop", "zoneRef: inside", 1)
	doc += hidden + shown
	g.Only(doc)
	said := map[string]string{}
	for _, s := range g.Plan(doc).Steps {
		for _, n := range s.Notes {
			if s.Key.Kind == "DNSRecordSet" {
				said[s.Key.Name] += n.Text
			}
		}
	}
	for name, want := range map[string]string{"balancer": "the record has that address", "group": "the record has that address", "hidden": "shop.internal. is a private zone", "own": "", "shown": ""} {
		if got := said[name]; !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("the plan says of %s: %q", name, got)
		}
	}
	g.MustSync(doc)
	leads := map[string]string{} // from the address of the port to the floating IP
	type floatingIP struct {
		Address string `json:"floating_ip_address"`
		Fixed   string `json:"fixed_ip_address"`
	}
	list, err := cloud.List[floatingIP](t.Context(), g.Client(nil), cloud.Call{Service: cloud.Network, Path: "floatingips"}, "floatingips")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		leads[f.Fixed] = f.Address
	}
	for name, want := range map[string]string{"balancer": leads["192.168.60.70"], "own": "192.168.60.70", "port": leads["192.168.60.11"], "hidden": "192.168.60.70", "shown": leads["192.168.60.70"]} {
		zone := ".shop.example.org."
		if name == "hidden" || name == "shown" {
			zone = ".shop.internal."
		}
		if got := recordsAt(t, g, name+zone, "A"); len(got) != 1 || got[0] != want || want == "" {
			t.Errorf("the records of %s are %v, want %s", name, got, want)
		}
	}
	for _, got := range records(t, g, "group", "A") {
		if strings.HasPrefix(got, "192.168.60.") {
			t.Errorf("a record of the group has the fixed address %s", got)
		}
	}
	for _, s := range g.Plan(doc).Steps {
		if s.Action.Writes() {
			t.Errorf("a second plan would %s %s", s.Action, s.Key)
		}
	}
	without := strings.Replace(doc, ", floatingIP: {network: public}, ports", ", ports", 1)
	without = strings.ReplaceAll(without, shown, "")
	g.MustSync(without)
	if got := records(t, g, "balancer", "A"); len(got) != 1 || got[0] != "192.168.60.70" {
		t.Errorf("without a floating IP the records are %v", got)
	}
}

// addressType is refused if the records cannot be of both types, fixed and floating.
func TestAddressTypes(t *testing.T) {
	for _, c := range [][2]string{
		{"type: A, portRef: two, addressType: floating", "spec.resource.addressType"},
		{"type: A, records: [192.0.2.1], addressType: fixed", "spec.resource.addressType"},
		{"type: AAAA, portRef: one, addressType: floating", "spec.resource.addressType"},
	} {
		_, _, err := resolve.Read(fstest.MapFS{"x.yaml": {Data: []byte(targets + follower("x", c[0]))}}, all.Kinds(nil, defaults.Defaults{}))
		if !kindtest.Refuses(err, c[1]) {
			t.Errorf("%s: %v, want %q", c[0], err, c[1])
		}
	}
}
