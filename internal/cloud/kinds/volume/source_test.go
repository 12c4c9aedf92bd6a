package volume_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const (
	original = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data}
spec: {resource: {size: 1}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VolumeSnapshot
metadata: {name: monday}
spec: {resource: {volumeRef: data}}
`
	derived = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: restored}
spec: {resource: {size: 2, snapshotRef: monday}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: cloned}
spec: {resource: {size: 1, sourceVolumeRef: data}}
`
)

// A volume with a source is created from it. After that, it belongs to the stack in every pass.
func TestSources(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(original + derived)
	g.MustSync(original + derived)
	if pass := g.Sync(original + derived); pass.Outcome() != plan.InSync || len(pass.Results) > 0 || pass.Last.Owned != 4 {
		t.Errorf("%s: %d owned, %d steps: %v", pass.Outcome(), pass.Last.Owned, len(pass.Results), pass.Failures)
	}
	d, sources := disksOf(t, g), 0
	for _, v := range d.list() {
		if v.Source != "" {
			sources++
		}
	}
	if sources != 1 {
		t.Errorf("%d volumes say which volume they were made from", sources)
	}
	// If the manifest names another source, or none, the volume is not replaced, because its data
	// would be lost.
	for _, edited := range []string{strings.Replace(original+derived, "snapshotRef: monday", "sourceVolumeRef: data", 1), original + strings.Replace(derived, ", sourceVolumeRef: data", "", 1)} {
		for _, s := range g.Plan(edited).Steps {
			if s.Key.Kind == "Volume" && s.Action != plan.Keep && s.Action != plan.Update {
				t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
			}
		}
	}
}

// If people copy a volume with a source and all its properties, the copy is not taken for the
// original.
func TestAttackCopiedSource(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(original + derived)
	g.MustSync(original + derived)
	d := disksOf(t, g)
	for id, v := range d.list() {
		if v.Source != "" {
			d.make(disk{Name: v.Name, Size: v.Size, Source: id, Metadata: v.Metadata})
		}
	}
	pass := g.Sync(original + derived)
	for _, s := range pass.Last.Steps {
		if s.Action != plan.Keep && !s.Causes.Has(cause.Copied) || len(pass.Results) > 0 {
			t.Errorf("%s %s: %s; %d steps", s.Action, s.Key, s.FullCause(), len(pass.Results))
		}
	}
	copies := 0
	for _, v := range d.list() {
		if v.Metadata[mark.OwnerKey+"-source"] != "" {
			copies++
		}
	}
	if copies != 3 {
		t.Errorf("%d volumes name their source, want two and the copy", copies)
	}
}

func TestOneSourceOnly(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	_, err := g.TryResolve(original + strings.Replace(derived, "snapshotRef: monday", "snapshotRef: monday, sourceVolumeRef: data", 1))
	if !kindtest.Refuses(err, "spec.resource") {
		t.Errorf("error is %v", err)
	}
}
