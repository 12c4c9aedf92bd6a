package virtualmachinegroup_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// named is the manifest of a group with records in the test's own zone.
func named(stack, replicas, dns string) string {
	return `
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: zone}
spec: {resource: {name: ` + strings.ToLower(stack) + `.example., email: admin@example.org}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: web}
spec:
  replicas: ` + replicas + `
  dns: {zoneRef: zone` + dns + `}
  template: {image: cirros, flavor: m1.nano, network: private}
`
}

// records returns the records in the cloud that belong to the stack's record sets, by name.
func records(t *testing.T, p plan.Plan) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, s := range p.Steps {
		if s.Key.Kind != "DNSRecordSet" || s.Have == nil {
			continue
		}
		text, err := json.Marshal(s.Have.State)
		if err != nil {
			t.Fatal(err)
		}
		var state struct{ Spec struct{ Records []string } }
		if err := json.Unmarshal(text, &state); err != nil {
			t.Fatal(err)
		}
		slices.Sort(state.Spec.Records)
		out[strings.SplitN(s.Have.Name, ".", 2)[0]] = state.Spec.Records
	}
	return out
}

// A group has a record with the addresses of all its machines, and one record for each machine. When
// the group grows or shrinks, the records change.
func TestRecordsFollowAGroup(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(named(g.Stack, "3", ""))
	for _, c := range []struct {
		replicas int
		dns      string
		name     string
		members  bool
	}{{3, "", "web", true}, {2, "", "web", true}, {2, ", name: shop, members: false, ttl: 60", "shop", false}} {
		pass := g.MustSync(named(g.Stack, fmt.Sprint(c.replicas), c.dns))
		want := map[string][]string{}
		for i := range c.replicas {
			one := address(pass.Last, fmt.Sprintf("web-%d", i))
			want[c.name] = append(want[c.name], one)
			if c.members {
				want[fmt.Sprintf("%s-%d", c.name, i)] = []string{one}
			}
		}
		slices.Sort(want[c.name])
		if got := records(t, pass.Last); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("of %d machines: %v, want %v", c.replicas, got, want)
		}
	}
}

// In a reverse zone, the address of each machine leads to the name of the machine's record.
func TestAddressesOfAGroupHaveNames(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	group := func(replicas string) string {
		return `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: inner}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: inner}
spec: {resource: {networkRef: inner, ipVersion: 4, cidr: 192.168.61.0/24}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: back}
spec: {resource: {name: 61.168.192.in-addr.arpa., email: admin@example.org}}
---` + strings.Replace(named(g.Stack, replicas, ", reverseZoneRef: back"), "network: private", "network: inner, subnet: inner", 1)
	}
	g.Only(group("2"))
	for _, replicas := range []int{2, 1} {
		pass, want := g.MustSync(group(fmt.Sprint(replicas))), map[string]string{}
		for i := range replicas {
			ip := netip.MustParseAddr(address(pass.Last, fmt.Sprintf("web-%d", i))).As4()
			want[fmt.Sprintf("%d.%d.%d.%d.in-addr.arpa. PTR", ip[3], ip[2], ip[1], ip[0])] = fmt.Sprintf("DNSRecordSet/web-%d-ptr", i)
		}
		got := map[string]string{}
		for _, s := range pass.Last.Steps {
			if have := s.Have; have != nil && strings.HasSuffix(have.Name, " PTR") {
				got[have.Name] = s.Key.String()
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("of %d machines: %v, want %v", replicas, got, want)
		}
	}
	if _, err := g.TryResolve(strings.Replace(group("1"), "reverseZoneRef: back", "reverseZoneRef: back, members: false", 1)); !kindtest.Refuses(err, "spec.dns.reverseZoneRef") {
		t.Errorf("without records of machines: %v", err)
	}
}
