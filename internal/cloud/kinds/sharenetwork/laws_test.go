package sharenetwork_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const needs = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: files}
spec: {resource: {name: share-files}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: files}
spec: {resource: {name: share-files, networkRef: files, ipVersion: 4, cidr: 10.61.0.0/24}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: others}
spec: {resource: {name: share-others}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: others}
spec: {resource: {name: share-others, networkRef: others, ipVersion: 4, cidr: 10.62.0.0/24}}
`

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: ShareNetwork
metadata: {name: office}
spec:
  resource:
    name: office-files
    description: where files are served
    networkRef: files
    subnetRef: files
`

const (
	networkField = "spec.resource.networkRef"
	subnetField  = "spec.resource.subnetRef"
	both         = "    networkRef: files\n    subnetRef: files\n"
)

var key = manifest.Key{Group: define.OrcGroup, Kind: "ShareNetwork", Namespace: "default", Name: "office"}

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Needs: needs, Object: object, Key: key,
		Edits: []kindtest.Edit{
			{Field: networkField, Old: both, New: "    networkRef: others\n    subnetRef: others\n", Also: []string{subnetField}},
			{Field: networkField, Old: both, New: "", Also: []string{subnetField}},
			{Field: "spec.resource.description", Old: "    description: where files are served\n", New: ""},
			{Field: subnetField, Old: both, New: "    networkRef: files\n    subnetRef: others\n"},
		},
	}.Run(t)
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Refuses(map[string]string{
		"{networkRef: files}":                             "spec.resource.subnetRef",
		"{subnetRef: files}":                              "spec.resource.networkRef",
		"{description: " + strings.Repeat("x", 141) + "}": "spec.resource.description",
	}, func(spec string) string {
		return needs + "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: ShareNetwork\nmetadata: {name: one}\nspec: {resource: " + spec + "}"
	})
}

// A share network without a network has an empty cidr in its status, as in K-ORC.
func TestMinimal(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	const minimal = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: ShareNetwork\nmetadata: {name: office}\nspec: {resource: {}}"
	g.Only(minimal)
	g.MustSync(minimal)
	shown := g.Shown(minimal, key)
	_, network := shown["neutronNetID"]
	if cidr, ok := shown["cidr"]; !ok || cidr != "" || network || shown["name"] != "office" || shown["description"] != nil {
		t.Errorf("shown: %v", shown)
	}
}

// If the network gets another name, that is another network. The share network is moved to it and
// keeps its ID.
func TestFollowsItsNetwork(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(needs + "\n---\n" + object)
	before := id(g.MustSync(needs + "\n---\n" + object).Last)
	moved := strings.NewReplacer("{name: files}", "{name: moved}", "Ref: files", "Ref: moved", "10.61.", "10.63.").Replace(needs + "\n---\n" + object)
	if after := id(g.MustSync(moved).Last); after != before {
		t.Errorf("ID %s became %s", before, after)
	}
}

// If a share network stays but its network's manifest is removed, Neutron would delete the network,
// because it does not know share networks. The plan refuses that.
func TestHoldsItsNetwork(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	kept := strings.Replace(needs+"\n---\n"+object, "{name: office}", `{name: office, annotations: {stackreeve.dev/prune: "false"}}`, 1)
	g.Only(kept)
	g.MustSync(kept)
	for _, s := range g.Plan("").Steps {
		if held := s.Key.Name == "files"; (s.Action == plan.Refuse) != held || held && !strings.Contains(s.FullCause(), "ShareNetwork/office") {
			t.Errorf("%s: %s: %s", s.Key, s.Action, s.FullCause())
		}
	}
	g.MustSync(needs + "\n---\n" + object)
}

func id(p plan.Plan) string {
	for _, s := range p.Steps {
		if s.Key.Kind == "ShareNetwork" {
			return s.ID()
		}
	}
	return ""
}

// While share servers use a share network, its network cannot be changed, but all other fields can
// be changed. The outcome repeats Manila's message.
func TestInUse(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("there are no share servers")
	}
	whole := needs + "\n---\n" + object
	network := id(g.MustSync(whole).Last)
	g.Simulator.Do(func() { g.Simulator.Manila.Occupy(network, true) })
	pass := g.Sync(strings.Replace(whole, both, "    networkRef: others\n    subnetRef: others\n", 1))
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "It is used by share servers") {
		t.Errorf("failures are %v", pass.Failures)
	}
	g.MustSync(strings.Replace(whole, "where files are served", "in use", 1))
	g.Simulator.Do(func() { g.Simulator.Manila.Occupy(network, false) })
}

// In Manila, anybody can move a share network to any project. If somebody gives the project a share
// network with the same mark as the stack's own, two objects have the same mark, and neither is
// changed or deleted.
func TestAttackGivenByAStranger(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	stranger, ours := g.Beside("demo2").Client(nil), g.Client(nil)
	whole := needs + "\n---\n" + object
	g.Only(whole)
	g.MustSync(whole)
	text, _ := mark.Description(kind.Mark{Owner: "stackreeve:" + g.Stack + ":ShareNetwork/office", Applied: "x"}, "")
	var made struct {
		Network struct{ ID string } `json:"share_network"`
	}
	call := cloud.Call{Service: cloud.SharedFileSystem, Method: http.MethodPost, Path: "share-networks", Into: &made, Body: map[string]any{"share_network": map[string]any{"description": text}}}
	if err := stranger.Do(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	at := "share-networks/" + made.Network.ID
	t.Cleanup(func() {
		for _, c := range []*cloud.Client{stranger, ours} {
			_ = c.Do(context.Background(), cloud.Call{Service: cloud.SharedFileSystem, Method: http.MethodDelete, Path: at}) // the share network is in one of the two projects
		}
	})
	give := cloud.Call{Service: cloud.SharedFileSystem, Method: http.MethodPut, Path: at, Body: map[string]any{"share_network": map[string]any{"project_id": ours.ProjectID}}}
	if err := stranger.Do(t.Context(), give); err != nil {
		t.Fatal(err)
	}
	for _, manifests := range []string{whole, needs} {
		pass := g.Sync(manifests)
		if pass.Outcome() == plan.InSync || len(pass.Results) > 0 {
			t.Errorf("%s, %d steps; want that it is reported and nothing done", pass.Outcome(), len(pass.Results))
		}
	}
	if err := ours.Do(t.Context(), cloud.Call{Service: cloud.SharedFileSystem, Method: http.MethodDelete, Path: at}); err != nil {
		t.Error(err)
	}
	if pass := g.MustSync(whole); len(pass.Results) > 0 {
		t.Errorf("%d steps once it is gone", len(pass.Results))
	}
}
