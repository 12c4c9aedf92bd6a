package virtualmachinegroup_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kinds/virtualmachinegroup"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// machines are the exported specs of two servers, each with a port and a disk.
const machines = `{
"Server/web-%[1]d": {"description": "web-%[1]d", "imageRef": "os", "flavorRef": "small", "ports": [{"portRef": "web-%[1]d"}], "volumes": [{"volumeRef": "web-%[1]d-data"}],
  "availabilityZone": "az-a", "schedulerHints": {"serverGroupRef": "near"}, "metadata": [{"key": "role", "value": "front"}]},
"Port/web-%[1]d": {"networkRef": "front", "addresses": [{"ip": "10.0.0.1%[1]d", "subnetRef": "v4"}], "securityGroupRefs": ["web"]},
"Volume/web-%[1]d-data": {"size": 2, "volumeTypeRef": "ssd", "availabilityZone": "az-a"}}`

// gathered returns the groups that Gather finds in the exported specs. Each replacement of change,
// OLD -> NEW, is made in the specs of both machines. If it begins with "1: ", it is made only in
// the specs of the second machine.
func gathered(t *testing.T, change string) []kind.Gathered {
	t.Helper()
	var of []kind.Exported
	for i := range 2 {
		text, only := machines, strings.TrimPrefix(change, "1: ")
		if old, next, found := strings.Cut(only, " -> "); found && (only == change || i == 1) {
			if !strings.Contains(text, old) {
				t.Fatalf("%q is not in the specs", old)
			}
			text = strings.Replace(text, old, next, 1)
		}
		specs := map[string]map[string]any{}
		if err := json.Unmarshal(fmt.Appendf(nil, text, i), &specs); err != nil {
			t.Fatal(err)
		}
		for name, spec := range specs {
			what, called, _ := strings.Cut(name, "/")
			of = append(of, kind.Exported{ObjectName: kind.ObjectName{Kind: what, Name: called}, Spec: spec})
		}
	}
	return virtualmachinegroup.Kind().Gather(of)
}

func TestGather(t *testing.T) {
	found := gathered(t, "")
	if len(found) != 1 || found[0].Name != "web" || len(found[0].Parts) != 6 || strings.Join(found[0].Ignore, ",") != "spec.resource.description" {
		t.Fatalf("%+v", found)
	}
	text, err := json.Marshal(found[0].Spec)
	const want = `{"replicas":2,"serverGroup":"near","template":{"image":"os","flavor":"small","network":"front","subnet":"v4","securityGroups":["web"],"zone":"az-a","volumes":[{"name":"data","size":2,"type":"ssd"}],"metadata":{"role":"front"}}}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
}

// If a server has a field that a group cannot express, it belongs to no group, even if a plan would
// not notice that the field is missing.
func TestGatherKnowsEveryField(t *testing.T) {
	for change, groups := range map[string]int{
		`"securityGroupRefs" -> "dnsName": "web-%[1]d", "securityGroupRefs"`:                   1, // Nova's default
		`"description": "web-%[1]d" -> "description": "one of many"`:                           1,
		`"securityGroupRefs" -> "dnsName": "shop", "securityGroupRefs"`:                        0,
		`"securityGroupRefs" -> "qosPolicyRef": "slow", "securityGroupRefs"`:                   0,
		`"subnetRef": "v4" -> "subnetRef": "v4", "more": 1`:                                    0,
		`"subnetRef": "v4"} -> "subnetRef": "v4"}, {"subnetRef": "v6"}`:                        0,
		`"securityGroupRefs": ["web"] -> "portSecurity": "Disabled"`:                           0,
		`"imageRef": "os" -> "imageRef": "os", "name": "Web"`:                                  0,
		`"volumeRef": "web-%[1]d-data" -> "volumeRef": "web-%[1]d-data", "device": "/dev/vdc"`: 0,
		`"volumeRef": "web-%[1]d-data" -> "volumeRef": "data"`:                                 0,
		`"serverGroupRef": "near" -> "serverGroupRef": "near", "query": "x"`:                   0,
		`"schedulerHints": {"serverGroupRef": "near"}, -> `:                                    0,
		`"size": 2 -> "size": 2, "description": "logs"`:                                        0,
		`"volumeTypeRef": "ssd", "availabilityZone": "az-a" -> "availabilityZone": "az-b"`:     0,
		`Volume/web-%[1]d-data -> Volume/other-%[1]d`:                                          0,
		`Port/web-%[1]d -> Port/other-%[1]d`:                                                   0,
		`1: "availabilityZone": "az-a" -> "availabilityZone": "az-b"`:                          0, // the zone of the server changes, but not that of its volume
		`1: "flavorRef": "small" -> "flavorRef": "large"`:                                      0,
		`1: "size": 2 -> "size": 3`:                                                            0,
		`1: "serverGroupRef": "near" -> "serverGroupRef": "far"`:                               0,
		`1: Server/web-%[1]d -> Server/web-0%[1]d`:                                             0,
		`1: Server/web-%[1]d -> Server/web-2`:                                                  0,
	} {
		if found := gathered(t, change); len(found) != groups {
			t.Errorf("%s: %+v, want %d", change, found, groups)
		}
	}
}

// Machines that differ only in their zones form a group if the field zones would give them the same
// zones.
func TestGatherZones(t *testing.T) {
	for zones, want := range map[string]string{"aa": `"zone":"az-a"`, "ab": `"zones":["az-a","az-b"]`, "aba": `"zones":["az-a","az-b"]`, "abcba": `"zones":["az-a","az-b","az-c"]`, "aab": "", "abca": "", "abb": ""} {
		var of []kind.Exported
		for i, zone := range zones {
			specs := map[string]map[string]any{}
			if err := json.Unmarshal(fmt.Appendf(nil, strings.ReplaceAll(machines, "az-a", "az-"+string(zone)), i), &specs); err != nil {
				t.Fatal(err)
			}
			for name, spec := range specs {
				what, called, _ := strings.Cut(name, "/")
				of = append(of, kind.Exported{ObjectName: kind.ObjectName{Kind: what, Name: called}, Spec: spec})
			}
		}
		found := virtualmachinegroup.Kind().Gather(of)
		text, _ := json.Marshal(found)
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.Contains(string(text), want)) {
			t.Errorf("%s: %s, want %s", zones, text, want)
		}
	}
}
