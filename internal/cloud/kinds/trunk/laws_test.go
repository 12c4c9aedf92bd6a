package trunk_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest/smallnet"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

var needs = `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {}}
` +
	smallnet.Port("vm", "front") + smallnet.Port("other", "front") + smallnet.Port("red", "front") + smallnet.Port("blue", "front")

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Trunk
metadata: {name: vm}
spec:
  resource:
    name: vm-trunk
    description: both colours
    tags: [web, blue]
    portRef: vm
    adminStateUp: true
    subports: [{portRef: red, segmentationID: 101}]
`

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Needs: needs, Object: object,
		Key: manifest.Key{Group: define.OrcGroup, Kind: "Trunk", Namespace: "default", Name: "vm"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.portRef", Old: "portRef: vm", New: "portRef: other", Replaces: true},
			{Field: "spec.resource.subports", Old: "{portRef: red, segmentationID: 101}", New: "{portRef: red, segmentationID: 101}, {portRef: blue, segmentationID: 102}"},
			{Field: "spec.resource.subports", Old: "{portRef: red, segmentationID: 101}", New: "{portRef: blue, segmentationID: 101}"},
			{Field: "spec.resource.subports", Old: "segmentationID: 101", New: "segmentationID: 103"},
			{Field: "spec.resource.subports", Old: "    adminStateUp: true\n    subports: [{portRef: red, segmentationID: 101}]\n", New: "    adminStateUp: false\n", Also: []string{"spec.resource.adminStateUp"}},
		},
		Unseen: map[string]string{"spec.resource.projectRef": "has laws of its own, see TestLawsInAnotherProject"},
	}.Run(t)
}

// Neutron does not change the subports of a trunk that is switched off.
func TestSwitchedOff(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	off := strings.Replace(object, "adminStateUp: true", "adminStateUp: false", 1)
	g.MustSync(needs + "---" + off)
	pass := g.Sync(needs + "---" + strings.Replace(off, "segmentationID: 101", "segmentationID: 102", 1))
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "set adminStateUp: true") {
		t.Errorf("failures: %v", pass.Failures)
	}
	g.MustSync(needs + "---" + strings.Replace(object, "segmentationID: 101", "segmentationID: 102", 1))
}

// A subport inherits the VLAN of its network, whatever number the manifest has. K-ORC requires a number, so Neutron stores it, but does not use
// it.
func TestInherited(t *testing.T) {
	testcost.Long(t)                                              // several passes run on the simulator
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{}) // only an administrator can make VLAN networks
	var made struct{ Network struct{ ID string } }
	if err := g.Beside("admin").Client(nil).Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPost, Path: "networks", Into: &made, Body: map[string]any{
		"network": map[string]any{"name": "vlan-123", "project_id": g.Client(nil).ProjectID, "provider:network_type": "vlan", "provider:physical_network": "physnet1", "provider:segmentation_id": 123}}}); err != nil {
		t.Fatal(err)
	}
	more := `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: vlan}
spec: {managementPolicy: unmanaged, import: {id: ` + made.Network.ID + `}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: green}
spec: {resource: {networkRef: vlan}}
`
	with := func(subports string) string {
		return needs + more + "---" + strings.Replace(object, "{portRef: red, segmentationID: 101}", subports, 1)
	}
	for _, subports := range []string{
		"{portRef: green, segmentationType: inherit}",
		"{portRef: green, segmentationID: 7, segmentationType: inherit}, {portRef: red, segmentationID: 7}",
		"{portRef: green, segmentationID: 5}, {portRef: red, segmentationID: 7}",
		"{portRef: red, segmentationID: 7}, {portRef: green, segmentationType: inherit}",
		"{portRef: red, segmentationID: 7}",
		"{portRef: red, segmentationID: 7}, {portRef: green, segmentationType: inherit}",
	} {
		g.MustSync(with(subports))
		if pass := g.MustSync(with(subports)); len(pass.Results) > 0 {
			t.Errorf("%s: a second pass does %v", subports, pass.Results[0].Step)
		}
	}
	var found struct {
		Trunks []struct {
			Subports []struct {
				ID int `json:"segmentation_id"`
			} `json:"sub_ports"`
		}
	}
	if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.Network, Path: "trunks", Into: &found}); err != nil || len(found.Trunks) != 1 || len(found.Trunks[0].Subports) != 2 || found.Trunks[0].Subports[1].ID != 123 {
		t.Errorf("there is %+v, %v", found, err)
	}
	pass := g.Sync(with("{portRef: blue, segmentationType: inherit}")) // its network has no VLAN
	if said := fmt.Sprint(pass.Failures); !strings.Contains(said, "Unknown segmentation_type 'vxlan'") {
		t.Errorf("the pass says %s", said)
	}
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Refuses(map[string]string{
		"{portRef: vm, segmentationID: 101}":                                    "spec.resource.subports[0].portRef",
		"{portRef: red, segmentationID: 1}, {portRef: blue, segmentationID: 1}": "spec.resource.subports[1].segmentationID",
		"{portRef: red, segmentationID: 1}, {portRef: red, segmentationID: 2}":  "spec.resource.subports[1].portRef",
		"{portRef: red, segmentationID: 4095}":                                  "spec.resource.subports[0].segmentationID",
		"{portRef: red, segmentationID: 1, segmentationType: vxlan}":            "spec.resource.subports[0].segmentationType",
		"{portRef: red}": "spec.resource.subports[0].segmentationID",
	}, func(subports string) string {
		return needs + "---" + strings.Replace(object, "{portRef: red, segmentationID: 101}", subports, 1)
	})
}

// A port gets its trunk before a machine is plugged into it, because many clouds refuse a trunk of a port in use.
func TestBeforeTheMachine(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	const machine = `
---
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
kind: Server
metadata: {name: vm}
spec: {resource: {imageRef: cirros, flavorRef: m1.nano, ports: [{portRef: vm}]}}
`
	for _, d := range g.Resolve(needs + "---" + object + machine) {
		if d.Key.Kind != "Server" {
			continue
		}
		waits := false
		for _, r := range d.Refs {
			waits = waits || r.Key.Kind == "Trunk"
		}
		if !waits {
			t.Error("the server does not wait for the trunk of its port")
		}
	}
}
