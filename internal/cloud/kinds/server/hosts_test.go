package server_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// A server is on the same host as the servers of its same-host hint, and on another
// host than the servers of its different-host hint.
func TestHostsThatAreShared(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("an OpenStack heeds these hints where its scheduler has the filters")
	}
	g = g.Beside("admin") // administrators see hosts
	of := func(name, hints string) string {
		return "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Server\nmetadata: {name: " + name + "}\nspec: {resource: {ports: [], flavorRef: small, imageRef: os, schedulerHints: {" + hints + "}}}\n"
	}
	doc := needs + of("first", "") + of("near", "sameHostServerRefs: [first]") + of("apart", "differentHostServerRefs: [first, near]") + of("both", "sameHostServerRefs: [apart], differentHostServerRefs: [first]")
	hosts := map[string]string{}
	for _, s := range g.MustSync(doc).Last.Steps {
		if s.Key.Kind == "Server" {
			hosts[s.Key.Name] = s.Have.Facts.Host
		}
	}
	if hosts["first"] == "" || hosts["near"] != hosts["first"] || hosts["apart"] == hosts["first"] || hosts["both"] != hosts["apart"] {
		t.Errorf("they are on %v", hosts)
	}
	if pass := g.Sync(doc + of("torn", "sameHostServerRefs: [first], differentHostServerRefs: [near]")); len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "No valid host was found") {
		t.Errorf("of a server that is torn: %v", pass.Failures)
	}
	g.MustSync("")
}
