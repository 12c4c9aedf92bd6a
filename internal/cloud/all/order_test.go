package all_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// A machine and a load balancer get their addresses from a subnet of the same repository, which is
// created in the same pass.
func TestAddressesWaitForTheSubnetsOfTheRepository(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.MustSync(`
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: inside}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: inside-v4}
spec: {resource: {networkRef: inside, ipVersion: 4, cidr: 10.77.0.0/24}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachine
metadata: {name: one}
spec: {network: inside, image: centos79, flavor: n3-1vcpu-2gb}
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  vipNetwork: inside
  ports:
    - {port: 80, protocol: tcp, realServers: {virtualMachineRefs: [one]}}
`)
}

// A floating IP and a router's gateway get their addresses from a subnet that
// is made in the same pass.
func TestExternalAddressesWaitForTheSubnetsOfTheRepository(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds).Beside("admin")
	pass := g.MustSync(`
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: FloatingIP
metadata: {name: way-in}
spec: {resource: {floatingNetworkRef: outside}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Router
metadata: {name: way-out}
spec: {resource: {externalGateways: [{networkRef: outside}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: outside}
spec: {resource: {external: true}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: outside-v4}
spec: {resource: {networkRef: outside, ipVersion: 4, cidr: 198.51.100.0/24}}
`)
	var made []string
	for _, r := range pass.Results {
		made = append(made, r.Step.Key.Kind)
	}
	if len(made) != 4 || made[0] != "Network" || made[1] != "Subnet" {
		t.Errorf("made in the order %v", made)
	}
}
