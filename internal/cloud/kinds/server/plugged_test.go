package server_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/network"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/port"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/securitygroup"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/subnet"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func pluggedKinds(c *cloud.Client, d defaults.Defaults) []*kind.Kind {
	return append([]*kind.Kind{network.Kind(c), subnet.Kind(c), securitygroup.Kind(c), port.Kind(c)}, kinds(c, d)...)
}

const plugs = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: os}
spec: {managementPolicy: unmanaged, import: {filter: {name: cirros}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: small}
spec: {managementPolicy: unmanaged, import: {filter: {name: m1.nano}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: front}
spec: {resource: {networkRef: front, ipVersion: 4, cidr: 10.77.0.0/24}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: eth0}
spec: {resource: {networkRef: front, addresses: [{subnetRef: front}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: eth1}
spec: {resource: {networkRef: front, addresses: [{subnetRef: front}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data}
spec: {resource: {size: 1}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: more}
spec: {resource: {size: 1}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: root}
spec: {resource: {size: 1, imageRef: os}}
`

const plugged = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: web}
spec:
  resource:
    imageRef: os
    flavorRef: small
    ports: [{portRef: eth0}]
    volumes: [{volumeRef: data}]
`

func TestLawsOfWhatIsPluggedIn(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: pluggedKinds, Key: key, Needs: plugs, Partial: true, Object: plugged,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.ports", Old: "[{portRef: eth0}]", New: "[{portRef: eth0}, {portRef: eth1}]"},
			{Field: "spec.resource.ports", Old: "[{portRef: eth0}]", New: "[{portRef: eth1}]"},
			{Field: "spec.resource.volumes", Old: "[{volumeRef: data}]", New: "[{volumeRef: more}]"},
			{Field: "spec.resource.bootVolume", Old: "imageRef: os", New: "bootVolume: {volumeRef: root}", Replaces: true, PlanOnly: true},
		},
		Unseen: map[string]string{
			"spec.resource.volumes[].device": "servers/detail does not show it, and hypervisors take it as a wish",
			"spec.resource.bootVolume.tag":   "Nova shows it for each server by itself only",
		},
	}.Run(t)
}

func TestLawsOfABootVolume(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: pluggedKinds, Key: key, Needs: plugs, Partial: true,
		Object: strings.Replace(plugged, "imageRef: os", "bootVolume: {volumeRef: root}", 1),
		Edits: []kindtest.Edit{
			{Field: "spec.resource.bootVolume", Old: "volumeRef: root", New: "volumeRef: more", Replaces: true, PlanOnly: true, Also: []string{"spec.resource.volumes"}},
			{Field: "spec.resource.imageRef", Old: "bootVolume: {volumeRef: root}", New: "imageRef: os", Replaces: true, PlanOnly: true, Also: []string{"spec.resource.volumes"}},
			{Field: "spec.resource.volumes", Old: "[{volumeRef: data}]", New: "[{volumeRef: more}]"},
		},
	}.Run(t)
}

// If a port is recreated, it is attached again, and the server stays.
func TestPortMadeAnew(t *testing.T) {
	g := kindtest.NewTarget(t, pluggedKinds)
	plugs := strings.Replace(plugs, "cidr: 10.77.0.0/24}", "cidr: 10.77.0.0/24, allocationPools: [{start: 10.77.0.10, end: 10.77.0.99}]}", 1) // no other port gets the new address
	g.MustSync(plugs + "\n---\n" + plugged)
	moved := strings.Replace(plugs, "metadata: {name: eth0}\nspec: {resource: {networkRef: front, addresses: [{subnetRef: front}]}}",
		"metadata: {name: eth0}\nspec: {resource: {networkRef: front, addresses: [{subnetRef: front, ip: 10.77.0.200}]}}", 1)
	pass := g.MustSync(moved + "\n---\n" + plugged)
	for _, r := range pass.Results {
		if r.Step.Key == key && r.Step.Action != plan.Update {
			t.Errorf("the server's step is %s, want update", r.Step.Action)
		}
	}
	for _, step := range pass.Last.Steps {
		if step.Key == key && step.Action != plan.Keep {
			t.Errorf("the server is not as wanted: %s", step.FullCause())
		}
	}
}

func TestKeyPairMadeAnew(t *testing.T) {
	const pair = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: KeyPair
metadata: {name: NAME}
spec: {resource: {publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1sUMn8G7ZzPpxaWC4oMNDmCqFvPBpVxTcgGY0pTx9u one"}}
`
	g := kindtest.NewTarget(t, pluggedKinds)
	pairs := strings.Replace(pair, "NAME", g.Stack, 1)
	machine := "\n---\n" + strings.Replace(plugged, "imageRef: os", "imageRef: os\n    keypairRef: "+g.Stack, 1)
	g.MustSync(plugs + pairs + machine)
	for _, step := range g.Plan(plugs + strings.Replace(pairs, "pTx9u one", "pTx9u two", 1) + machine).Steps {
		want := map[string]plan.Action{"KeyPair": plan.Recreate, "Server": plan.Keep}[step.Key.Kind]
		if want != "" && step.Action != want {
			t.Errorf("the plan is to %s %s, want %s", step.Action, step.Key, want)
		}
	}
}

// If the manifest names another disk instead of the attached one, that is a
// loss, although no disk is deleted: the machine continues without its data. An
// additional disk is no loss.
func TestAnotherDiskIsALoss(t *testing.T) {
	g := kindtest.NewTarget(t, pluggedKinds)
	manifests := plugs + "\n---\n" + plugged
	g.MustSync(manifests)
	for volumes, want := range map[string]string{
		"[{volumeRef: more}]":                    "; another volume replaces it",
		"[]":                                     "with the data on it",
		"[{volumeRef: data}, {volumeRef: more}]": "",
	} {
		plan := g.Plan(strings.Replace(manifests, "[{volumeRef: data}]", volumes, 1))
		for _, step := range plan.Steps {
			if step.Key == key && (len(step.Loss) > 0) != (want != "") || step.Key == key && !strings.HasSuffix(strings.Join(step.Loss, ""), want) {
				t.Errorf("%s loses %q, want %q", volumes, step.Loss, want)
			}
		}
	}
}
