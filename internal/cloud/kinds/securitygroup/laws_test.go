package securitygroup_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const needs = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: clients}
spec: {resource: {}}
`

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: web}
spec:
  resource:
    name: web-group
    description: web servers
    tags: [web, blue]
    stateful: true
    rules:
    - {direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: 80, max: 81}, remoteIPPrefix: 10.0.0.0/8, description: from inside}
    - {direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: 443, max: 443}, remoteGroupRef: clients}
    - {direction: ingress, ethertype: IPv6, remoteGroupRef: web}
    - {direction: ingress, ethertype: IPv4, protocol: icmp, portRange: {min: 8, max: 0}}
    - {direction: ingress, ethertype: IPv6, protocol: icmpv6}
    - {direction: ingress, ethertype: IPv4, protocol: icmp, portRange: {min: 11}}
    - {direction: ingress, ethertype: IPv4, protocol: "103"}
    - {direction: ingress, ethertype: IPv4, protocol: udp, portRange: {min: 1, max: 65535}, remoteIPPrefix: 0.0.0.0/0}
    - {direction: egress, ethertype: IPv4}
`

var key = manifest.Key{Group: define.OrcGroup, Kind: "SecurityGroup", Namespace: "default", Name: "web"}

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Key: key, Needs: needs, Object: object,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.name", Old: "web-group", New: "web-group-2"},
			{Field: "spec.resource.description", Old: "web servers", New: "moved"},
			{Field: "spec.resource.tags", Old: "[web, blue]", New: "[web, green]"},
			{Field: "spec.resource.stateful", Old: "stateful: true", New: "stateful: false", Replaces: true},
			{Field: "spec.resource.rules", Old: "from inside", New: "from within"},
			{Field: "spec.resource.rules", Old: "max: 81", New: "max: 82"},
			{Field: "spec.resource.rules", Old: "10.0.0.0/8", New: "10.0.0.0/9"},
			{Field: "spec.resource.rules", Old: "remoteGroupRef: clients", New: "remoteGroupRef: web"},
			{Field: "spec.resource.rules", Old: "{direction: egress, ethertype: IPv4}", New: "{direction: egress, ethertype: IPv6}"},
			{Field: "spec.resource.rules", Old: "protocol: udp", New: "protocol: sctp"},
			{Field: "spec.resource.rules", Old: "{min: 11}", New: "{min: 12}"},
			{Field: "spec.resource.rules", Old: "{min: 11}", New: "{min: 11, max: 0}"},
			{Field: "spec.resource.rules", Old: `"103"`, New: `"104"`},
			{Field: "spec.resource.rules", Old: "    - {direction: ingress, ethertype: IPv6, protocol: icmpv6}\n", New: ""},
		},
	}.Run(t)
}

func TestLawsWithoutRules(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	head, _, _ := strings.Cut(object, "    rules:")
	kindtest.Suite{Kinds: all.Kinds, Key: key, Needs: needs, Object: head}.Run(t)
}

// The status uses K-ORC's field names.
func TestStatus(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(needs + "\n---\n" + object)
	g.MustSync(needs + "\n---\n" + object)
	shown := g.Shown(needs+"\n---\n"+object, key)
	const fields = "createdAt description name projectID revisionNumber rules stateful tags updatedAt"
	if got := strings.Join(slices.Sorted(maps.Keys(shown)), " "); got != fields {
		t.Errorf("fields are\n%s, want\n%s", got, fields)
	}
	seen := map[string]bool{}
	for _, rule := range shown["rules"].([]any) {
		rule := rule.(map[string]any)
		ports, _ := rule["portRange"].(map[string]any)
		seen[fmt.Sprint(rule["description"], " ", rule["direction"], " ", rule["ethertype"], " ", rule["protocol"], " ", rule["remoteIPPrefix"], " ", ports["min"], "-", ports["max"])] = true
		if rule["id"] == nil || rule["id"] == "" {
			t.Errorf("a rule has no ID: %v", rule)
		}
	}
	if !seen["from inside ingress IPv4 tcp 10.0.0.0/8 80-81"] || !seen["<nil> egress IPv4 <nil> <nil> <nil>-<nil>"] {
		t.Errorf("rules are %v", seen)
	}
}

func TestValidate(t *testing.T) {
	target := kindtest.NewTarget(t, all.Kinds)
	target.RefusesEdits(needs, object, map[string][3]string{
		"two remotes":       {"remoteIPPrefix: 10.0.0.0/8", "remoteIPPrefix: 10.0.0.0/8, remoteGroupRef: clients", "spec.resource.rules[0].remoteGroupRef"},
		"ethertype":         {"remoteIPPrefix: 10.0.0.0/8", `remoteIPPrefix: "fd00::/8"`, "spec.resource.rules[0].remoteIPPrefix"},
		"ports backwards":   {"{min: 80, max: 81}", "{min: 81, max: 80}", "spec.resource.rules[0].portRange"},
		"no last port":      {"{min: 80, max: 81}", "{min: 80}", "spec.resource.rules[0].portRange.max"},
		"number too high":   {`"103"`, `"256"`, "spec.resource.rules[6].protocol"},
		"port 0":            {"{min: 80, max: 81}", "{min: 0, max: 80}", "spec.resource.rules[0].portRange"},
		"no protocol":       {"protocol: tcp, portRange: {min: 80", "portRange: {min: 80", "spec.resource.rules[0].portRange"},
		"no ports":          {"protocol: udp", "protocol: esp", "spec.resource.rules[7].portRange"},
		"icmp type":         {"{min: 8, max: 0}", "{min: 256, max: 0}", "spec.resource.rules[3].portRange"},
		"the same twice":    {"{direction: egress, ethertype: IPv4}", `{direction: ingress, ethertype: IPv6, protocol: ipv6-icmp, remoteIPPrefix: "::/0"}`, "spec.resource.rules[8]"},
		"group not there":   {"remoteGroupRef: clients", "remoteGroupRef: client", "spec.resource.rules[1].remoteGroupRef"},
		"unknown protocol":  {"protocol: udp", "protocol: upd", "spec.resource.rules[7].protocol"},
		"unknown ethertype": {"{direction: egress, ethertype: IPv4}", "{direction: egress, ethertype: ipv4}", "spec.resource.rules[8].ethertype"},
	})
}
