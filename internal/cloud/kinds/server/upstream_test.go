package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const trapNeeds = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: os}
spec: {managementPolicy: unmanaged, import: {filter: {name: centos79}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Flavor, metadata: {name: size}, spec: {managementPolicy: unmanaged, import: {filter: {name: m1.small}}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: net}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: net}, spec: {resource: {networkRef: net, ipVersion: 4, cidr: 10.77.0.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Port, metadata: {name: web}, spec: {resource: {networkRef: net, addresses: [{subnetRef: net}]}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Volume, metadata: {name: web}, spec: {resource: {size: 1}}}
`

const trapServer = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: web}
spec: {resource: {imageRef: os, flavorRef: size, ports: [{portRef: web}], volumes: [{volumeRef: web}]}}
`

func idsOf(p plan.Plan) map[string]string {
	ids := map[string]string{}
	for _, s := range p.Steps {
		ids[s.Key.Kind] = s.ID()
	}
	return ids
}

// If no host has room for a new server, the server is replaced once, with its existing port and volume
// (terraform-provider-openstack#455).
func TestNoValidHostKeepsPortAndVolume(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("a build fails only when it is told to")
	}
	g.MustSync(trapNeeds)
	before := idsOf(g.Plan(trapNeeds))
	g.Simulator.Do(func() { g.Simulator.Nova.FailNextBuild("No valid host was found.") })
	creations := 0
	wrap := func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/servers") {
				creations++
			}
			return next.RoundTrip(r)
		})
	}
	pass := g.SyncThrough(trapNeeds+trapServer, wrap)
	for pass.Outcome() != plan.InSync && creations < 5 {
		pass = g.SyncThrough(trapNeeds+trapServer, wrap)
	}
	after := idsOf(g.Plan(trapNeeds + trapServer))
	if creations != 2 || after["Port"] != before["Port"] || after["Volume"] != before["Volume"] {
		t.Errorf("%d servers were made; before: %v, after: %v", creations, before, after)
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// If the image of servers is deleted in the cloud, the servers are not replaced (terraform-provider-openstack#1226).
func TestImageGoneReplacesNoServer(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("images are for all projects")
	}
	g.MustSync(trapNeeds + trapServer)
	admin := g.Beside("admin").Client(nil)
	id := ""
	for _, s := range g.Plan(trapNeeds + trapServer).Steps {
		if s.Key.Kind == "Image" {
			id = s.ShownID()
		}
	}
	if err := admin.Do(t.Context(), cloud.Call{Service: cloud.Image, Method: http.MethodDelete, Path: "images/" + id}); err != nil {
		t.Fatal(err)
	}
	for _, s := range g.Plan(trapNeeds + trapServer).Steps {
		if s.Key.Kind == "Server" && (s.Action == plan.Recreate || s.Action == plan.Delete || s.Action == plan.Create) {
			t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
		}
	}
}

// K-ORC 2.6.0 has the field for a Server's group next to its scheduler hints. Later versions have it in the hints.
// Both mean the same.
func TestGroupWhereKORCHadIt(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	group := "---\n{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: ServerGroup, metadata: {name: near}, spec: {resource: {policy: soft-affinity}}}\n"
	with := func(text string) string {
		return trapNeeds + group + strings.Replace(trapServer, "ports: [", text+", ports: [", 1)
	}
	g.MustSync(with("serverGroupRef: near"))
	if p := g.Plan(with("schedulerHints: {serverGroupRef: near}")); !p.InSync() {
		t.Errorf("among the hints it is another one: %v", p.Steps)
	}
	_, err := g.TryResolve(with("serverGroupRef: near, schedulerHints: {serverGroupRef: far, additionalProperties: {rack: r1}}"))
	if !kindtest.Refuses(err, "spec.resource.serverGroupRef") {
		t.Errorf("two groups: %v", err)
	}
	g.MustSync("")
}

// A port and a volume that were created for a server stay when the server is deleted, and the next server uses them
// (terraform-provider-openstack#153, K-ORC issue 365).
func TestPortAndVolumeOutliveTheirServer(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	before := idsOf(g.MustSync(trapNeeds + trapServer).Last)
	g.MustSync(trapNeeds)
	after := idsOf(g.MustSync(trapNeeds + trapServer).Last)
	if after["Server"] == before["Server"] || after["Port"] != before["Port"] || after["Volume"] != before["Volume"] {
		t.Errorf("before: %v, after: %v", before, after)
	}
}

// A filter matches only the whole name. It is not a pattern, although Nova treats it as one.
func TestNamesInFiltersAreNoPatterns(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.MustSync(trapNeeds + trapServer)
	for name, found := range map[string]bool{"web": true, "we": false, "we.": false, "^web$": false, ".*": false} {
		imported := trapNeeds + trapServer + "---\n{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Server, metadata: {name: other}, spec: {managementPolicy: unmanaged, import: {filter: {name: \"" + name + "\"}}}}\n"
		for _, s := range g.Plan(imported).Steps {
			if s.Key.String() == "Server/other" && (s.ShownID() != "") != found {
				t.Errorf("%q: %s %s: %s", name, s.Action, s.ShownID(), s.FullCause())
			}
		}
	}
}
