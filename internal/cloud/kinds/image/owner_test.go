package image_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator/glance"
)

// share makes an image of another project. If its visibility is shared, our project accepts it.
func share(t *testing.T, g *kindtest.Target, owner, name, visibility string, age time.Duration) (id string) {
	t.Helper()
	made := g.Simulator.Glance.Create(owner, glance.Spec{Name: name, DiskFormat: "raw", ContainerFormat: "bare", Visibility: visibility}, []byte("x"))
	made.Created = made.Created.Add(-age)
	if visibility != "shared" {
		return made.ID
	}
	ours, admin := g.Client(nil), g.Beside("admin").Client(nil)
	for _, call := range []struct {
		by   *cloud.Client
		call cloud.Call
	}{
		{admin, cloud.Call{Method: http.MethodPost, Path: "images/" + made.ID + "/members", Body: map[string]any{"member": ours.ProjectID}}},
		{ours, cloud.Call{Method: http.MethodPut, Path: "images/" + made.ID + "/members/" + ours.ProjectID, Body: map[string]any{"status": "accepted"}}},
	} {
		call.call.Service = cloud.Image
		if err := call.by.Do(t.Context(), call.call); err != nil {
			t.Fatal(err)
		}
	}
	return made.ID
}

// A member of another project can give an image the name of a pattern, and share it. It never counts, unless the manifest names that project.
func TestAttackHomonyms(t *testing.T) {
	const factory, stranger = "facefacefacefacefacefacefaceface", "badbadbadbadbadbadbadbadbadbadba"
	g := simulated(t)
	of := func(more string) string {
		return head + `{managementPolicy: unmanaged, import: {filter: {name: "golden-*", latest: true` + more + `}}}`
	}
	found := func(more string) string {
		step := g.Plan(of(more)).Steps[0]
		if step.Action != plan.Keep {
			return string(step.Action)
		}
		return step.ID()
	}
	shared := share(t, g, factory, "golden-1", "shared", 3*time.Hour)
	share(t, g, stranger, "golden-2", "shared", 2*time.Hour)
	share(t, g, stranger, "golden-3", "community", time.Hour)
	public := share(t, g, stranger, "golden-0", "public", 4*time.Hour)
	for more, want := range map[string]string{
		"":                          public,
		", owner: " + factory:       shared,
		", owner: " + factory + "0": "wait",
		", owner: " + factory + ", visibility: public":  "wait",
		", owner: " + stranger + ", visibility: public": public,
	} {
		if got := found(more); got != want {
			t.Errorf("%s: %s, want %s", more, got, want)
		}
	}
	g.Refuses(map[string]string{`""`: "spec.import.filter.owner", `"a b"`: "spec.import.filter.owner"}, func(owner string) string { return of(", owner: " + owner) })
}

// The command outdated reads the owner of an image from its state.
func TestImagesNameTheirOwner(t *testing.T) {
	const factory = "facefacefacefacefacefacefaceface"
	g := simulated(t)
	id := share(t, g, factory, "golden-1", "public", time.Hour)
	want := g.Resolve(head + `{managementPolicy: unmanaged, import: {filter: {name: golden-1}}}`)
	made := g.Engine(g.Client(nil)).Observe(t.Context(), want)["Image"].Indexed().First(id)
	if of, ok := made.State.(interface{ OwnedBy() string }); !ok || of.OwnedBy() != factory {
		t.Errorf("the owner of %s is not %s", id, factory)
	}
}
