package routerinterface_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest/smallnet"
	"github.com/stackreeve/stackreeve/internal/export"
)

var sixes = `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: six}
spec: {resource: {}}
` +
	smallnet.Router("six") + smallnet.Subnet("one", "six", "fd00:61::/64") + smallnet.Subnet("two", "six", "fd00:62::/64")

const toOne = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: RouterInterface
metadata: {name: one}
spec: {type: Subnet, routerRef: six, subnetRef: one}
`

// attach attaches a subnet to a router, or detaches it, as people do by hand.
func attach(g *kindtest.Target, how, router, subnet string) error {
	return g.Client(nil).Do(context.Background(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router + "/" + how + "_router_interface",
		Body: map[string]any{"subnet_id": subnet}})
}

// If somebody attaches a second IPv6 subnet, Neutron adds it to the port of the existing
// interface. When that interface is deleted, the second subnet stays connected
// (terraform-provider-openstack#1297).
func TestASharedPortIsNotDeleted(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(sixes + toOne)
	g.MustSync(sixes + toOne)
	router, two := idOf(t, g, sixes, "Router/six"), idOf(t, g, sixes, "Subnet/two")
	if err := attach(g, "add", router, two); err != nil {
		t.Fatal(err)
	}
	for _, s := range g.Plan(sixes + toOne).Steps {
		if s.Key.Kind == "RouterInterface" && (len(s.Notes) != 1 || !strings.Contains(s.Notes[0].Text, "several subnets") || len(s.Changes) > 0) {
			t.Errorf("changes: %v, notes: %v", s.Changes, s.Notes)
		}
	}
	pass := g.Sync(sixes)
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), router) {
		t.Errorf("failures: %v", pass.Failures)
	}
	if err := attach(g, "remove", router, two); err != nil {
		t.Errorf("the other subnet has lost its way: %v", err)
	}
	g.MustSync(sixes)
}

// A RouterInterface has exactly one subnet, so a port of several subnets is not adopted.
func TestExportOfASharedPort(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(sixes + toOne)
	g.MustSync(sixes)
	router := idOf(t, g, sixes, "Router/six")
	for _, name := range []string{"one", "two"} {
		subnet := idOf(t, g, sixes, "Subnet/"+name)
		if err := attach(g, "add", router, subnet); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = attach(g, "remove", router, subnet) })
	}
	c := g.Client(nil)
	in := export.Input{Kinds: all.Kinds(c, g.Defaults), Have: g.Engine(c).Survey(t.Context())}
	for _, l := range in.Have["RouterInterface"].Items {
		if slices.Contains(l.Uses, router) {
			in.Chosen = append(in.Chosen, export.Chosen{Kind: "RouterInterface", Name: "way", ID: l.ID})
		}
	}
	r, err := export.Make(t.Context(), in)
	if err != nil || len(in.Chosen) != 1 || len(r.Objects) > 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0].Text, "one port connects several subnets") {
		t.Errorf("%d chosen, written: %v, notes: %v, %v", len(in.Chosen), r.Objects, r.Notes, err)
	}
}
