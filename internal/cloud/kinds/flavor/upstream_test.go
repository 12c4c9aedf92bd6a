package flavor_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// An existing flavor that equals the manifest, even in its name, does not become the stack's unless the manifest adopts
// it (K-ORC issue 185).
func TestFlavorOfSomebodyElse(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	name := "large-" + strings.ToLower(rand.Text())
	var made struct{ Flavor struct{ ID string } }
	c := g.Client(nil)
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "flavors", Into: &made,
		Body: map[string]any{"flavor": map[string]any{"name": name, "ram": 512, "vcpus": 1, "disk": 1}}}); err != nil {
		t.Fatal(err)
	}
	theirs := cloud.Call{Service: cloud.Compute, Method: http.MethodGet, Path: "flavors/" + made.Flavor.ID}
	t.Cleanup(func() {
		theirs.Method = http.MethodDelete
		_ = c.Do(context.WithoutCancel(t.Context()), theirs)
	})
	of := func(name string) string {
		return "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Flavor\nmetadata: {name: large}\nspec: {resource: {name: " + name + ", ram: 512, vcpus: 1, disk: 1}}"
	}
	for _, manifests := range []string{of(name), of(name + "-2")} {
		g.Sync(manifests)
		for _, s := range g.Plan(manifests).Steps {
			if s.ID() == made.Flavor.ID {
				t.Errorf("%s %s takes what somebody else has made: %s", s.Action, s.Key, s.FullCause())
			}
		}
	}
	g.MustSync("")
	if err := c.Do(t.Context(), theirs); err != nil {
		t.Errorf("what somebody else has made: %v", err)
	}
}
