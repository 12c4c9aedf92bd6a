package virtualmachine_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const needs = `
apiVersion: v1
kind: ConfigMap
metadata: {name: scripts}
data: {one: "echo one", two: "echo two"}
`

const object = `
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachine
metadata: {name: web}
spec:
  image: centos79
  flavor: n3-1vcpu-2gb
  initScript: {configMapRef: {name: scripts, key: one}}
  description: says hello
  network: private
  securityGroups: [default]
  zone: dev
  tags: [blue]
  metadata: {role: front}
`

func key(kind string) manifest.Key {
	return manifest.Key{Group: define.OrcGroup, Kind: kind, Namespace: "default", Name: "web"}
}

// A VirtualMachine itself does not exist in the cloud, so the laws examine its
// server.
func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Key: key("Server"), Needs: needs, Object: object, Partial: true, Together: true, Elsewhere: "server, port",
		Edits: []kindtest.Edit{
			{Field: "spec.resource.imageRef", Old: "centos79", New: "cirros", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.flavorRef", Old: "n3-1vcpu-2gb", New: "m1.small", Replaces: true},
			{Field: "spec.resource.userData", Old: "key: one", New: "key: two", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.imageRef", Old: "centos79", New: "cirros", Way: "rebuild"},
			{Field: "spec.resource.flavorRef", Old: "n3-1vcpu-2gb", New: "m1.small", Way: "resize"},
			{Field: "spec.resource.userData", Old: "key: one", New: "key: two", Way: "rebuild"},
			{Field: "spec.resource.description", Old: "says hello", New: "says good night"},
			{Field: "spec.resource.availabilityZone", Old: "zone: dev", New: "zone: az-b", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.tags", Old: "[blue]", New: "[green]"},
			{Field: "spec.resource.metadata", Old: "role: front", New: "role: back"},
		},
	}.Run(t)
}

// A machine that boots from its own volume is rebuilt like one with a local disk:
// the agent asks Nova to write the image to the volume.
func TestLawsOnARootVolume(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Key: key("Server"), Needs: needs, Object: strings.Replace(object, "  network: private\n", "  network: private\n  rootVolume: {size: 1}\n", 1),
		Partial: true, Together: true,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.imageRef", Old: "centos79", New: "cirros", Way: "rebuild"},
			{Field: "spec.resource.userData", Old: "key: one", New: "key: two", Way: "rebuild"},
		},
	}.Run(t)
}
