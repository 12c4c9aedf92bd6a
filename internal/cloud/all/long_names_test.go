package all_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const longestStack = "production-of-the-tokyo-region-blue-half"

// The longest stack name, kind and object name fit into an owner text, which
// still identifies exactly one stack.
func TestOwnerTextsOfTheLongestNames(t *testing.T) {
	if len(longestStack) != ownertext.MaxStackName {
		t.Fatalf("%d bytes", len(longestStack))
	}
	for _, k := range guard.Ownable(all.Kinds(nil, defaults.Defaults{})) {
		for _, name := range []string{"a", strings.Repeat("n", 253)} {
			text := ownertext.Of(longestStack, manifest.Key{Kind: k, Namespace: strings.Repeat("s", 63), Name: name})
			o, ok := ownertext.Parse(text)
			if len(text) > ownertext.Max+max(0, len(k)-ownertext.MaxTagKind) || !ok || !o.Of(longestStack) || o.Of(longestStack[:20]) || o.Of(strings.Repeat("x", 40)) || o.Kind != k {
				t.Errorf("%s (%d bytes) is read as %+v, %v", text, len(text), o, ok)
			}
		}
	}
}

// Objects of a stack with the longest name are found again, for every kind that can have the mark.
// None of them counts as an object of a stack whose name starts with the same characters.
func TestTheLongestStackName(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	long := strings.Repeat("n", 240)
	manifests := strings.NewReplacer("LONG", long, "SIXTY", strings.Repeat("d", 58), "EIGHTY", strings.Repeat("d", 80), "NAME", strings.Repeat("a", 140), "DESCRIBED", strings.Repeat("d", 255), "GROUP", strings.Repeat("g", 190), "DISK", diskServer(t)).Replace(imported + `
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: ServerGroup, metadata: {name: GROUP}, spec: {resource: {policy: affinity}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: KeyPair
metadata: {name: LONG}
spec: {resource: {publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada"}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: BarbicanSecret, metadata: {name: LONG}, spec: {resource: {name: NAME, payloadRef: LONG, payloadKey: value}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: SwiftContainer, metadata: {name: LONG}, spec: {resource: {metadata: [{name: tier, value: gold}]}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: DNSZone, metadata: {name: LONG}, spec: {resource: {name: long.example.org., email: ada@example.org, description: SIXTY}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: DNSRecordSet, metadata: {name: LONG}, spec: {resource: {zoneRef: LONG, name: www, type: A, records: [192.0.2.10], description: SIXTY}}}
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
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: ShareNetwork, metadata: {name: LONG}, spec: {resource: {networkRef: LONG, subnetRef: LONG, description: NAME}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: AddressScope, metadata: {name: LONG}, spec: {resource: {name: NAME, ipVersion: 4}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: SubnetPool, metadata: {name: LONG}, spec: {resource: {prefixes: [10.90.0.0/16], addressScopeRef: LONG}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: AddressGroup, metadata: {name: LONG}, spec: {resource: {addresses: [10.90.0.0/16], description: NAME}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: sub}, spec: {resource: {networkRef: LONG, addresses: [{subnetRef: LONG}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Trunk, metadata: {name: LONG}, spec: {resource: {portRef: LONG, subports: [{portRef: sub, segmentationID: 7}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: FloatingIP, metadata: {name: in}, spec: {resource: {floatingNetworkRef: outside}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: PortForwarding, metadata: {name: LONG}, spec: {resource: {floatingIPRef: in, protocol: tcp, externalPort: 80, portRef: sub, internalPort: 80, description: NAME}}}
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
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Domain, metadata: {name: SIXTY}, spec: {resource: {description: DESCRIBED}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Role, metadata: {name: SIXTY}, spec: {resource: {description: DESCRIBED}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Group, metadata: {name: SIXTY}, spec: {resource: {description: DESCRIBED}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Project, metadata: {name: SIXTY}, spec: {resource: {description: DESCRIBED}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: User, metadata: {name: LONG}, spec: {resource: {description: DESCRIBED}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Service, metadata: {name: LONG}, spec: {resource: {type: LONG, description: DESCRIBED}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Endpoint, metadata: {name: LONG}, spec: {resource: {serviceRef: LONG, interface: public, url: "http://example.org/", description: DESCRIBED}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: ApplicationCredential, metadata: {name: LONG}, spec: {resource: {secretRef: LONG, description: DESCRIBED}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: RoleAssignment, metadata: {name: LONG}, spec: {resource: {roleRef: SIXTY, userRef: LONG, projectRef: SIXTY}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: LONG}, spec: {resource: {content: {diskFormat: raw, download: {url: "DISK"}}}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: LONG}, stringData: {value: correct-horse-battery}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: VolumeSnapshot, metadata: {name: LONG}, spec: {resource: {volumeRef: LONG, description: DESCRIBED, force: true}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: VolumeSnapshotSchedule, metadata: {name: LONG}, spec: {volumeRef: LONG, schedule: "@daily", keep: 3, onDelete: delete}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: VolumeBackup, metadata: {name: LONG}, spec: {resource: {volumeRef: LONG, description: DESCRIBED, force: true}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: VolumeType, metadata: {name: LONG}, spec: {resource: {description: EIGHTY, extraSpecs: [{name: "vendor:tier", value: LONG}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Flavor, metadata: {name: LONG}, spec: {resource: {ram: 64, vcpus: 1, disk: 1, description: DESCRIBED, extraSpecs: [{name: "vendor:tier", value: LONG}]}}}
---
{apiVersion: stackreeve.dev/v1alpha1, kind: Quota, metadata: {name: LONG}, spec: {resource: {projectRef: SIXTY, service: compute, limits: {cores: 7}}}}
`)
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{})
	asAdministrator(g)
	g.Stack, g.Defaults.ImageHosts = longestStack, []string{"127.0.0.1"}
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
	for _, kind := range guard.Ownable(all.Kinds(nil, defaults.Defaults{})) {
		if !owned[kind] && inside[kind] == "" && kind != "QoSPolicy" { // only an administrator can create a QoSPolicy, and its mark is stored like that of a network
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
