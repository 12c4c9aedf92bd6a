package all_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const imported = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: cirros}
spec: {managementPolicy: unmanaged, import: {filter: {name: cirros}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: m1.nano}
spec: {managementPolicy: unmanaged, import: {filter: {name: m1.nano}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: outside}
spec: {managementPolicy: unmanaged, import: {filter: {name: public}}}
`

const plainServer = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ServerGroup
metadata: {name: near}
spec: {resource: {policy: affinity}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: KeyPair
metadata: {name: older-nova}
spec: {resource: {publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada"}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: web}
spec:
  resource:
    description: says hello
    imageRef: cirros
    flavorRef: m1.nano
    keypairRef: older-nova
    ports: []
    metadata: [{key: role, value: front}]
    schedulerHints: {serverGroupRef: near}
`

const taggedServer = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: web}
spec: {resource: {imageRef: cirros, flavorRef: m1.nano, ports: [], tags: [web, blue]}}
`

const plainNetwork = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {description: in front, tags: [web]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: front}
spec: {resource: {networkRef: front, ipVersion: 4, cidr: 10.77.0.0/24}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Router
metadata: {name: edge}
spec: {resource: {externalGateways: [{networkRef: outside}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: RouterInterface
metadata: {name: edge}
spec: {type: Subnet, routerRef: edge, subnetRef: front}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: web}
spec: {resource: {rules: [{direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: 80, max: 80}}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: web}
spec: {resource: {networkRef: front, addresses: [{subnetRef: front}], securityGroupRefs: [web]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: FloatingIP
metadata: {name: web}
spec: {resource: {floatingNetworkRef: outside, portRef: web}}
`

const plainVolume = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data}
spec: {resource: {size: 1, description: says hello, metadata: [{name: role, value: front}]}}
`

const plainBalancer = `
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  description: says hello
  vipType: private
  ports:
    - port: 80
      protocol: http
      realServers: {port: 8080, addresses: [10.0.0.241, 10.0.0.242]}
      monitors: [{protocol: http, port: 8081, endpoint: /alive}]
`

func orc(kind, name string) manifest.Key {
	return manifest.Key{Group: define.OrcGroup, Kind: kind, Namespace: "default", Name: name}
}

// bare are the extensions of Neutron that a cloud can lack. Some tests use a Neutron that lacks all
// of them.
var bare = []string{"port-security", "stateful-security-group", "net-mtu", "network_availability_zone", "dns-integration",
	"subnet-dns-publish-fixed-ip", "uplink-status-propagation", "qos", "fip-port-details", "standard-attr-revisions",
	"revision-if-match", "standard-attr-timestamp", "subnet-service-types", "tag-creation"}

// On a cloud with fewer features, an object that does not need the missing ones still passes the checks of kindtest.Suite.
func TestLawsOnOlderClouds(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	balancer := manifest.Key{Group: define.WorkloadGroup, Kind: "LoadBalancer", Namespace: "default", Name: "front"}
	for _, tt := range []struct {
		name   string
		older  kindtest.Older
		key    manifest.Key
		object string
	}{
		{"a Neutron that takes tags early", kindtest.Older{}, orc("FloatingIP", "web"), plainNetwork},
		{"the first Nova", kindtest.Older{Compute: "2.1"}, orc("Server", "web"), plainServer},
		{"Nova without early tags", kindtest.Older{Compute: "2.51"}, orc("Server", "web"), taggedServer},
		{"Nova of Queens", kindtest.Older{Compute: "2.60"}, orc("Server", "web"), plainServer},
		{"the first Cinder", kindtest.Older{Volume: "3.0"}, orc("Volume", "data"), plainVolume},
		{"Octavia of Stein", kindtest.Older{Balancer: "2.5"}, balancer, plainBalancer},
		{"Octavia of Train", kindtest.Older{Balancer: "2.13"}, balancer, plainBalancer},
		{"Neutron without extensions", kindtest.Older{Extensions: bare}, orc("FloatingIP", "web"), plainNetwork},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			kindtest.Suite{Kinds: all.Kinds, Key: tt.key, Needs: imported, Object: tt.object, Older: &tt.older, Partial: true,
				Simulator: &simulator.Options{TagsOnCreate: strings.Contains(tt.name, "takes tags")}}.Run(t)
		})
	}
}

// An object that needs a missing feature of the cloud is refused, with the reason. All other
// objects are created.
func TestWhatOlderCloudsCannotDo(t *testing.T) {
	in := func(object, old, new string) string { return strings.Replace(object, old, new, 1) }
	for _, tt := range []struct {
		name         string
		older        kindtest.Older
		object, want string
	}{
		{"tags of servers", kindtest.Older{Compute: "2.25"}, taggedServer, "microversion 2.26 of the compute service, this cloud has 2.25"},
		{"rules of server groups", kindtest.Older{Compute: "2.63"}, "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: ServerGroup\nmetadata: {name: apart}\n" +
			"spec: {resource: {policy: anti-affinity, rules: {maxServerPerHost: 2}}}", "microversion 2.64 "},
		{"tags of load balancers", kindtest.Older{Balancer: "2.4"}, plainBalancer, "microversion 2.5 of the load-balancer service"},
		{"who may call", kindtest.Older{Balancer: "2.11"}, in(plainBalancer, "protocol: http\n", "protocol: http\n      allowedCidrs: [10.0.0.0/8]\n"), "allowedCidrs of listeners need microversion 2.12"},
		{"tags of networks", kindtest.Older{Extensions: []string{"standard-attr-tag"}}, "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: front}\n" +
			"spec: {resource: {}}", " standard-attr-tag"},
		{"port security", kindtest.Older{Extensions: bare}, "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: front}\n" +
			"spec: {resource: {portSecurityEnabled: false}}", "Unrecognized attribute(s) 'port_security_enabled'"},
		{"stateless groups", kindtest.Older{Extensions: bare}, "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: SecurityGroup\nmetadata: {name: web}\n" +
			"spec: {resource: {stateful: false}}", "Unrecognized attribute(s) 'stateful'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{}).Through(tt.older.Wrap)
			const beside = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: ServerGroup\nmetadata: {name: beside}\nspec: {resource: {policy: affinity}}"
			pass := g.Sync(imported + "\n---\n" + beside + "\n---\n" + tt.object)
			if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), tt.want) {
				t.Errorf("failures are %v, want %q", pass.Failures, tt.want)
			}
			if pass.Last.Owned != 1 {
				t.Errorf("the stack owns %d objects, want the group beside", pass.Last.Owned)
			}
			g.MustSync(beside)
		})
	}
}

// With Cinder 3.42 or later, a volume can grow while it is attached to a server. With older
// versions it cannot.
func TestVolumeInUseGrowsOnNewerCloudsOnly(t *testing.T) {
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{}).Through((&kindtest.Older{Volume: "3.41"}).Wrap)
	text := imported + "\n---\n" + plainVolume + "\n---\n" + strings.Replace(taggedServer, "tags: [web, blue]", "volumes: [{volumeRef: data}]", 1)
	g.MustSync(text)
	larger := strings.Replace(text, "size: 1", "size: 2", 1)
	pass := g.Sync(larger)
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "microversion 3.42 of the block-storage service, this cloud has 3.41") {
		t.Errorf("failures are %v", pass.Failures)
	}
	for _, step := range pass.Last.Steps {
		if step.Key.Kind == "Server" && step.Action != plan.Keep {
			t.Errorf("the server's step is %s", step.Action)
		}
	}
}
