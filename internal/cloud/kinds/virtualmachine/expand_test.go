package virtualmachine_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const moreNeeds = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: backend}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: backend}
spec: {resource: {networkRef: backend, ipVersion: 4, cidr: 192.168.70.0/24, allocationPools: [{start: 192.168.70.100, end: 192.168.70.199}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: inner}
spec: {resource: {rules: [{ethertype: IPv4, direction: egress}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: shared}
spec: {resource: {size: 1}}
`

const moreObject = `
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachine
metadata: {name: web}
spec:
  image: centos79
  flavor: n3-1vcpu-2gb
  network: private
  volumes:
  - {name: data, size: 2}
  - {name: logs, size: 1, onDelete: detach}
  - {volumeRef: shared}
  ports:
  - {name: back, network: backend, subnet: backend, fixedIP: 192.168.70.5, securityGroups: [inner]}
  - {name: back2, network: backend}
`

func named(kind, name string) manifest.Key {
	return manifest.Key{Group: define.OrcGroup, Kind: kind, Namespace: "default", Name: name}
}

func TestLawsOfMore(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	object := strings.Replace(moreObject, ", onDelete: detach", "", 1)
	kindtest.Suite{
		Kinds: all.Kinds, Key: key("Server"), Needs: moreNeeds, Object: object, Partial: true,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.volumes", Old: "  - {name: logs, size: 1}\n", New: ""},
			{Field: "spec.resource.volumes", Old: "  - {volumeRef: shared}\n", New: ""},
			{Field: "spec.resource.ports", Old: "  - {name: back2, network: backend}\n", New: ""},
			{Field: "spec.resource.ports", Old: "name: back2, network: backend", New: "name: back3, network: backend"},
		},
	}.Run(t)
}

func TestLawsOfAVolumeOfItsOwn(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Key: named("Volume", "web-data"), Needs: moreNeeds, Object: strings.Replace(moreObject, ", onDelete: detach", "", 1), Partial: true,
		Elsewhere: "volume, server, port",
		Edits: []kindtest.Edit{
			{Field: "spec.resource.size", Old: "size: 2", New: "size: 3"},
			{Field: "spec.resource.size", Old: "size: 2", New: "size: 1", Replaces: true},
			{Field: "spec.resource.availabilityZone", Old: "network: private", New: "network: private\n  zone: az-b", Replaces: true, PlanOnly: true},
		},
	}.Run(t)
}

func TestLawsOfAFurtherPort(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Key: named("Port", "web-back"), Needs: moreNeeds, Object: strings.Replace(moreObject, ", onDelete: detach", "", 1), Partial: true,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.addresses", Old: "192.168.70.5", New: "192.168.70.6", Replaces: true},
			{Field: "spec.resource.securityGroupRefs", Old: "[inner]", New: "[]"},
			{Field: "spec.resource.networkRef", Old: "name: back, network: backend, subnet: backend, fixedIP: 192.168.70.5,", New: "name: back, network: private,", Replaces: true, Also: []string{"spec.resource.addresses"}},
		},
	}.Run(t)
}

// The plan shows which volumes are deleted with their data. Volumes with onDelete: detach stay, and
// volumes that the machine only attached are detached. A volume cannot become smaller.
func TestVolumesAtTheEndOfAMachine(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	doc := moreNeeds + "\n---\n" + moreObject
	g.Only(doc)
	g.MustSync(doc)
	without := strings.Replace(strings.Replace(doc, "  - {name: data, size: 2}\n", "", 1), "  - {name: logs, size: 1, onDelete: detach}\n", "", 1)
	for what, repo := range map[string]string{"taken out of the machine": without, "with the machine": moreNeeds} {
		got := map[string]string{}
		for _, s := range g.Plan(repo).Steps {
			if s.Key.Kind == "Volume" {
				got[s.Key.Name] = string(s.Action) + " " + strings.Join(s.Loss, "; ")
			}
		}
		for name, want := range map[string]string{"web-data": "delete all data on it", "web-logs": "keep ", "shared": "keep "} {
			if got[name] != want {
				t.Errorf("%s: %s is to %s, want %s", what, name, got[name], want)
			}
		}
	}
	g.MustSync(without)
	if pass := g.MustSync(moreNeeds); pass.Last.Owned != 4 || pass.Last.Summary().Keep != 5 {
		t.Errorf("the stack owns %d objects and keeps %d, want what the machine needed and the volume that stays", pass.Last.Owned, pass.Last.Summary().Keep)
	}
	all := strings.Replace(moreObject, "metadata: {name: web}", `metadata: {name: web, annotations: {stackreeve.dev/on-delete: detach}}`, 1)
	g.MustSync(moreNeeds + "\n---\n" + all)
	for _, s := range g.Plan(moreNeeds).Steps {
		if s.Action == plan.Delete {
			t.Errorf("%s would be deleted although the machine's annotation detaches it", s.Key)
		}
	}
	object := strings.Replace(moreObject, ", onDelete: detach", "", 1)
	g.MustSync(moreNeeds + "\n---\n" + object) // so that the clean-up can delete all objects
	shrinkingIsRefused(t, g, object)
}

// shrinkingIsRefused requires that the plan refuses a smaller volume, with the reason, if the annotation
// forbids its replacement.
func shrinkingIsRefused(t *testing.T, g *kindtest.Target, object string) {
	t.Helper()
	smaller := strings.NewReplacer("size: 2", "size: 1", "metadata: {name: web}", "metadata: {name: web, annotations: {stackreeve.dev/replace: refuse}}").Replace(object)
	found := false
	for _, s := range g.Plan(moreNeeds + "\n---\n" + smaller).Steps {
		if s.Key != named("Volume", "web-data") {
			continue
		}
		if found = true; s.Action != plan.Refuse || !s.Causes.Has(cause.Barred) {
			t.Errorf("%s: %s", s.Action, s.FullCause())
		}
	}
	if !found {
		t.Error("the plan says nothing about the volume")
	}
}

func TestMoreIsValidated(t *testing.T) {
	target := kindtest.NewTarget(t, all.Kinds)
	for name, test := range map[string]struct{ old, new, problem string }{
		"neither size nor reference": {"{name: data, size: 2}", "{name: data}", "spec.volumes[0]"},
		"no name":                    {"{name: data, size: 2}", "{size: 2}", "spec.volumes[0].name"},
		"size of another's":          {"{volumeRef: shared}", "{volumeRef: shared, size: 1}", "spec.volumes[2].size"},
		"end of another's":           {"{volumeRef: shared}", "{volumeRef: shared, onDelete: detach}", "spec.volumes[2].volumeRef"},
		"a name twice":               {"name: logs", "name: data", "spec.volumes[1].name"},
		"a volume twice":             {"{name: data, size: 2}", "{volumeRef: shared}", "spec.volumes[2].volumeRef"},
		"the root volume":            {"  volumes:\n  - {name: data,", "  rootVolume: {size: 10}\n  volumes:\n  - {name: root,", "spec.volumes[0].name"},
		"a port twice":               {"name: back2", "name: back", "spec.ports[1].name"},
		"a port without a network":   {"{name: back2, network: backend}", "{name: back2}", "spec.ports[1].network"},
		"a name that cannot be":      {"name: back2", "name: Back 2", "spec.ports[1].name"},
		"no size":                    {"size: 2", "size: 0", "spec.volumes[0].size"},
		"too many volumes":           {"  - {volumeRef: shared}\n", strings.Repeat("  - {volumeRef: shared}\n", 25), "spec.volumes"},
		"too many ports":             {"  - {name: back2, network: backend}\n", strings.Repeat("  - {name: back2, network: backend}\n", 17), "spec.ports"},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Count(moreObject, test.old) != 1 {
				t.Fatalf("%q is not there once", test.old)
			}
			_, err := target.TryResolve(strings.TrimPrefix(strings.Replace(moreObject, test.old, test.new, 1), "\n") + "---" + moreNeeds)
			if !kindtest.Refuses(err, test.problem) {
				t.Errorf("got %v, want %q", err, test.problem)
			}
		})
	}
}
