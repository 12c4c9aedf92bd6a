package subnet_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const small = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: small}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: few}
spec: {resource: {networkRef: small, ipVersion: 4, cidr: 192.168.91.0/29}}
`

// with returns the manifests in which other fields replace the cidr of the subnet.
func with(fields string) string {
	return strings.Replace(small, "cidr: 192.168.91.0/29", fields, 1)
}

// more is the manifest of another subnet of the network.
func more(name, cidr string, version int) string {
	return fmt.Sprintf("\n---\n{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: %s}, spec: {resource: {networkRef: small, ipVersion: %d, cidr: %q}}}", name, version, cidr)
}

// ports is the manifests of n ports. Each has the given element in addresses.
func ports(n int, prefix, address string) (docs string) {
	for i := range n {
		docs += fmt.Sprintf("\n---\n{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: %s-%d}, spec: {resource: {networkRef: small, addresses: [{%s}]}}}", prefix, i, address)
	}
	return docs
}

// used imports the network and its subnet, which others created.
const used = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: small}
spec: {managementPolicy: unmanaged, import: {filter: {name: small}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: few}
spec: {managementPolicy: unmanaged, import: {filter: {name: few}}}
`

// usedNetwork imports only the network.
var usedNetwork, _, _ = strings.Cut(used, "---")

func machines(n int) string {
	return fmt.Sprintf(`
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: web}
spec:
  replicas: %d
  template: {image: debian-12, flavor: m1.small, network: small}
`, n)
}

// few describes each shortage of addresses in a short text.
func few(list []preflight.Shortage) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%s %d of %d, others %d;", s.Key, s.Needs, s.Has, s.Others)
	}
	return b.String()
}

// If the repository declares the network, the agent knows without the cloud how many addresses each subnet has.
func TestARepositoryAsksForMoreAddressesThanItsSubnetsHave(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	for name, c := range map[string]struct{ doc, want string }{
		"300 machines in a /24":           {with("cidr: 192.168.91.0/24") + machines(300), "Subnet/few 300 of 253, others 0;"},
		"253 machines":                    {with("cidr: 192.168.91.0/24") + machines(253), ""},
		"all that there are":              {small + ports(5, "p", ""), ""},
		"one more":                        {small + ports(6, "p", ""), "Subnet/few 6 of 5, others 0;"},
		"of the subnet by name":           {small + ports(6, "p", "subnetRef: few"), "Subnet/few 6 of 5, others 0;"},
		"without a gateway":               {with("cidr: 192.168.91.0/29, gateway: {type: None}") + ports(7, "p", ""), "Subnet/few 7 of 6, others 0;"},
		"the gateway in the middle":       {with("cidr: 192.168.91.0/29, gateway: {type: IP, ip: 192.168.91.3}") + ports(6, "p", ""), "Subnet/few 6 of 5, others 0;"},
		"pools":                           {with("cidr: 192.168.91.0/29, allocationPools: [{start: 192.168.91.3, end: 192.168.91.4}]") + ports(3, "p", ""), "Subnet/few 3 of 2, others 0;"},
		"addresses out of the pools":      {with("cidr: 192.168.91.0/29, allocationPools: [{start: 192.168.91.3, end: 192.168.91.4}]") + ports(2, "p", "") + ports(1, "q", "ip: 192.168.91.6"), ""},
		"addresses in the pools":          {with("cidr: 192.168.91.0/29, allocationPools: [{start: 192.168.91.3, end: 192.168.91.4}]") + ports(2, "p", "") + ports(1, "q", "ip: 192.168.91.3"), "Subnet/few 3 of 2, others 0;"},
		"a point to point link":           {with("cidr: 192.168.91.0/31, gateway: {type: None}") + ports(2, "p", ""), ""},
		"two subnets":                     {small + more("also", "192.168.92.0/29", 4) + ports(10, "p", ""), ""},
		"two subnets, both full":          {small + more("also", "192.168.92.0/29", 4) + ports(11, "p", ""), "Network/small 11 of 10, others 0;"},
		"two subnets, one of them full":   {small + more("also", "192.168.92.0/29", 4) + ports(6, "p", "subnetRef: few"), "Subnet/few 6 of 5, others 0;"},
		"addresses of IPv6 besides":       {small + more("six", "2001:db8::/64", 6) + ports(6, "p", ""), "Subnet/few 6 of 5, others 0;"},
		"addresses of IPv6 alone":         {strings.NewReplacer("192.168.91.0/29", "2001:db8::/126", "ipVersion: 4", "ipVersion: 6").Replace(small) + ports(9, "p", ""), ""},
		"ports without an address":        {small + strings.ReplaceAll(ports(9, "p", ""), "[{}]", "[]"), ""},
		"a network that others have made": {usedNetwork + ports(9, "p", ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := few(preflight.ShortagesIn(all.Kinds(nil, defaults.Defaults{}), g.Resolve(c.doc))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Existing objects use addresses, whoever made them. If an object is deleted, its address is free.
func TestAPlanAsksForMoreAddressesThanThereAre(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	e := g.Engine(g.Client(nil))
	scarce := func(doc string) string {
		want := g.Resolve(doc)
		return few(preflight.ShortagesOf(e.Preview(t.Context(), "test", want, nil), e.Kinds, e.Observe(t.Context(), want)))
	}
	g.MustSync(small + ports(3, "p", ""))
	for name, c := range map[string]struct{ doc, want string }{
		"all that there are":       {small + ports(5, "p", ""), ""},
		"one more":                 {small + ports(6, "p", ""), "Subnet/few 6 of 5, others 0;"},
		"in place of those there":  {small + ports(5, "q", ""), ""},
		"a further subnet":         {small + more("also", "192.168.92.0/29", 4) + ports(10, "p", ""), ""},
		"a further one, both full": {small + more("also", "192.168.92.0/29", 4) + ports(11, "p", ""), "Network/small 11 of 10, others 0;"},
		"nothing is made":          {small + ports(3, "p", ""), ""},
		"wider pools": {with("cidr: 192.168.91.0/29, allocationPools: [{start: 192.168.91.2, end: 192.168.91.6}]") + ports(6, "p", ""),
			"Subnet/few 6 of 5, others 0;"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := scarce(c.doc); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	own := g.Stack
	g.Stack = "another"
	e = g.Engine(g.Client(nil))
	for name, c := range map[string]struct{ doc, want string }{
		"others have some":           {used + ports(3, "q", ""), "Subnet/few 3 of 5, others 3;"},
		"there are enough":           {used + ports(2, "q", ""), ""},
		"of a network without names": {usedNetwork + ports(3, "q", ""), "Network/small 3 of 5, others 3;"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := scarce(c.doc); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	g.Stack = own
}

// During a rollout with a surge, a group has one more machine, which needs one more address. Another group can use
// addresses that a group frees.
func TestARolloutAsksForMoreAddressesThanThereAre(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	g := kindtest.NewTarget(t, all.Kinds)
	e := g.Engine(g.Client(nil))
	g.MustSync(small + machines(5))
	surge := strings.Replace(small+machines(5), "replicas: 5", "replicas: 5\n  strategy: {maxSurge: 1}", 1)
	for name, c := range map[string]struct{ doc, want string }{
		"one in place of another":        {strings.Replace(small+machines(5), "m1.small", "m1.tiny", 1), ""},
		"one more beside all":            {strings.Replace(surge, "m1.small", "m1.tiny", 1), "Subnet/few 6 of 5, others 0;"},
		"no rollout":                     {surge, ""},
		"a group in place of another":    {strings.Replace(small+machines(5), "name: web", "name: app", 1), ""},
		"a larger one in its place":      {strings.Replace(small+machines(6), "name: web", "name: app", 1), "Subnet/few 6 of 5, others 0;"},
		"more machines than there are":   {small + machines(6), "Subnet/few 6 of 5, others 0;"},
		"fewer machines, and other ones": {small + machines(2) + "---" + strings.Replace(machines(3), "name: web", "name: app", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			want := g.Resolve(c.doc)
			if got := few(preflight.ShortagesOf(e.Preview(t.Context(), "test", want, nil), e.Kinds, e.Observe(t.Context(), want))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
