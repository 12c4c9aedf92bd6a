package all_test

import (
	"maps"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

const counted = imported + `
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Flavor, metadata: {name: small}, spec: {managementPolicy: unmanaged, import: {filter: {name: m1.small}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: debian}, spec: {managementPolicy: unmanaged, import: {filter: {name: debian-12}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: VolumeType, metadata: {name: fast}, spec: {managementPolicy: unmanaged, import: {filter: {name: ssd}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: ServerGroup, metadata: {name: g}, spec: {resource: {policy: affinity}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: KeyPair
metadata: {name: k}
spec: {resource: {publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada"}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: DNSZone, metadata: {name: z}, spec: {resource: {name: counted.example.org., email: ada@example.org}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: b}, stringData: {payload: counted}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: BarbicanSecret, metadata: {name: b}, spec: {resource: {payloadRef: b}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: net}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: net}, spec: {resource: {networkRef: net, ipVersion: 4, cidr: 10.77.0.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: ShareNetwork, metadata: {name: files}, spec: {resource: {networkRef: net, subnetRef: net}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Router, metadata: {name: r}, spec: {resource: {externalGateways: [{networkRef: outside}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: RouterInterface, metadata: {name: r}, spec: {type: Subnet, routerRef: r, subnetRef: net}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: SecurityGroup, metadata: {name: s}, spec: {resource: {rules: [{ethertype: IPv4, protocol: tcp, portRange: {min: 22, max: 22}}, {ethertype: IPv4, direction: egress}, {ethertype: IPv6, direction: egress}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: p}, spec: {resource: {networkRef: net, securityGroupRefs: [s], addresses: [{subnetRef: net}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: FloatingIP, metadata: {name: f}, spec: {resource: {floatingNetworkRef: outside, portRef: p}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Volume, metadata: {name: v}, spec: {resource: {size: 3, volumeTypeRef: fast}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Server, metadata: {name: m}, spec: {resource: {flavorRef: small, imageRef: debian, keypairRef: k, ports: [{portRef: p}], schedulerHints: {serverGroupRef: g}}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: LoadBalancer, metadata: {name: l}, spec: {vipNetwork: net, ports: [{port: 80, protocol: http, realServers: {serverRefs: [m], addresses: [10.77.0.200], members: [{address: 10.77.0.201, port: 8080, weight: 3}]}, monitors: [{protocol: tcp}], l7Policies: [{action: redirectToPool, redirectPool: {realServers: {addresses: [10.77.0.202]}, monitors: [{protocol: tcp}]}, rules: [{type: path, compareType: equalTo, value: /a}, {type: path, compareType: equalTo, value: /b}]}]}, {port: 81, protocol: tcp, realServers: {addresses: [10.77.0.200]}}]}}
`

// Three amounts agree: the amount that a kind forecasts for an object, the amount that it counts once the object exists, and
// the amount that the service counts. If they differed, unchanged objects would seem to need quota, or a lack of quota would
// give no warning. Other tests make nothing in this project at the same time.
func TestWhatIsTakenIsWhatIsHeld(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds).Beside("demo2")
	client := g.Client(nil)
	e := g.Engine(client)
	before := used(t, client)
	taken := preflight.DemandOf(e.Preview(t.Context(), "c", g.Resolve(counted), nil), e.Kinds, kind.Snapshot{}).Needed
	g.MustSync(counted)
	after := used(t, client)
	have := e.Observe(t.Context(), g.Resolve(counted))
	for r, n := range taken {
		if r.Service == cloud.LoadBalancer || r.Service == cloud.DNS || r.Service == cloud.KeyManager || r.Name == "key_pairs" || r.Service == cloud.Compute && r.Type != "" {
			continue // the service shows limits only
		}
		name := r.Name
		if r.Type != "" {
			name += "_" + r.Type
		}
		if grew := after[r.Service][name].Used - before[r.Service][name].Used; grew != n {
			t.Errorf("%v: the plan takes %d, and the service counts %d more", r, n, grew)
		}
	}
	want := kind.Amounts{}
	for _, s := range e.Preview(t.Context(), "c", g.Resolve(counted), nil).Steps {
		k := kindNamed(e.Kinds, s.Key.Kind)
		if s.Unmanaged() || s.Have == nil {
			continue
		}
		takes := k.QuotaNeeded(s.View())
		if len(takes) == 0 {
			t.Errorf("%s counts as nothing", s.Key)
		}
		want.AddAll(takes)
		holds := k.QuotaUsed(s.Have.State, func(name, id string) kind.Facts {
			for _, item := range have[name].Items {
				if item.ID == id {
					return item.Facts
				}
			}
			return kind.Facts{}
		})
		if !maps.Equal(takes, holds) {
			t.Errorf("%s takes %v and holds %v", s.Key, takes, holds)
		}
	}
	if !maps.Equal(want, taken) {
		t.Errorf("the plan takes %v, and its objects %v", taken, want)
	}
	for _, service := range []string{cloud.LoadBalancer, cloud.DNS} {
		if held, known := preflight.Used(e.Kinds, have, service); !known || len(held) == 0 {
			t.Errorf("of %s is held %v, %v", service, held, known)
		}
	}
}

// Snapshots and backups count as one each. A series counts as one, for its first snapshot. Their size depends on their volume,
// which does not exist yet when a plan is made. So forecasts do not include their gigabytes.
func TestSnapshotsAndBackupsAreCounted(t *testing.T) {
	const copies = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Volume, metadata: {name: v}, spec: {resource: {size: 1}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: VolumeSnapshot, metadata: {name: s}, spec: {resource: {volumeRef: v}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: VolumeBackup, metadata: {name: b}, spec: {resource: {volumeRef: v}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: VolumeSnapshotSchedule, metadata: {name: nightly}, spec: {volumeRef: v, schedule: "@daily", keep: 7, onDelete: delete}}
`
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(copies)
	e := g.Engine(g.Client(nil))
	taken := preflight.DemandOf(e.Preview(t.Context(), "c", g.Resolve(copies), nil), e.Kinds, kind.Snapshot{}).Needed
	g.MustSync(copies)
	held, known := preflight.Used(e.Kinds, e.Observe(t.Context(), g.Resolve(copies)), cloud.BlockStorage)
	for name, want := range map[string]int64{"snapshots": 2, "backups": 1} {
		r := kind.Resource{Service: cloud.BlockStorage, Name: name}
		if taken[r] != want || !known || held[r] < want || used(t, g.Client(nil))[cloud.BlockStorage][name].Used < 1 {
			t.Errorf("%s: the plan takes %d, and %d are held", name, taken[r], held[r])
		}
	}
}

func used(t *testing.T, c *cloud.Client) map[string]kind.Allowances {
	t.Helper()
	all := map[string]kind.Allowances{}
	for _, service := range []string{cloud.Compute, cloud.BlockStorage, cloud.Network, cloud.SharedFileSystem} {
		allowed, err := c.Quotas(t.Context(), service)
		if err != nil {
			t.Fatal(err)
		}
		all[service] = allowed
	}
	return all
}

func kindNamed(kinds []*kind.Kind, name string) *kind.Kind {
	for _, k := range kinds {
		if k.Info.Kind == name {
			return k
		}
	}
	return nil
}
