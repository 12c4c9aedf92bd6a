package volume_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const (
	saved = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data}
spec: {resource: {size: 1, metadata: [{name: color, value: red}]}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VolumeBackup
metadata: {name: monday}
spec: {resource: {volumeRef: data}}
`
	fromBackup = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: again}
spec:
  resource:
    name: again-1
    description: as it was on monday
    size: 2
    backupRef: monday
    metadata: [{name: role, value: store}]
`
)

// A restored volume obeys the laws of all volumes. It belongs to the stack, whatever metadata Cinder writes, and
// whenever an agent is killed.
func TestLawsOfARestore(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	kindtest.Suite{
		Kinds: all.Kinds, Needs: saved, Object: fromBackup, Partial: true,
		Key: manifest.Key{Group: define.OrcGroup, Kind: "Volume", Namespace: "default", Name: "again"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.description", Old: "as it was on monday", New: "scratch"},
			{Field: "spec.resource.metadata", Old: "value: store", New: "value: cache"},
			{Field: "spec.resource.size", Old: "size: 2", New: "size: 3"},
		},
	}.Run(t)
}

// The new volume does not get the metadata of the backup's volume.
func TestRestoredMetadata(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	text := saved + "---" + fromBackup
	g.Only(text)
	g.MustSync(text)
	for _, v := range disksOf(t, g).list() {
		if v.Name == "again-1" && (v.Description != "as it was on monday" || v.Metadata["role"] != "store" || v.Metadata["color"] != "" || v.Metadata[restored] != "" || v.Metadata[mark.SelfKey] != v.ID) {
			t.Errorf("the volume is %v", v)
		}
	}
	// Neither a manifest without the backup nor one with another source changes the volume.
	for _, edited := range []string{saved + "---" + strings.Replace(fromBackup, "backupRef: monday", "sourceVolumeRef: data", 1), strings.Split(saved, "---")[0] + "---" + strings.Replace(fromBackup, "    backupRef: monday\n", "", 1)} {
		for _, s := range g.Plan(edited).Steps {
			if s.Key.Kind == "Volume" && s.Action != plan.Keep && s.Action != plan.Update {
				t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
			}
		}
	}
}

// People may back up a volume between its restore and the next pass, and restore that backup without naming a
// volume. Cinder copies the description of the first volume, with the mark, to the new volume. The new volume belongs
// to the people nevertheless.
func TestAttackCopiedDescription(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	text := saved + "---" + fromBackup
	g.Only(text)
	g.MustSync(text)
	d := disksOf(t, g)
	var owner string
	for _, v := range d.list() {
		if v.Name == "again-1" {
			owner = v.Metadata[mark.OwnerKey]
		}
	}
	for _, meta := range []map[string]string{{restored: "b2"}, {restored: "b2", mark.OwnerKey: owner, mark.AppliedKey: "x", mark.SelfKey: "other"}} {
		id := d.make(disk{Name: "mine", Size: 1, Description: "[" + owner + " " + mark.AppliedKey + ":restores-b1]", Metadata: meta})
		for _, text := range []string{text, saved} {
			if slices.ContainsFunc(g.Plan(text).Steps, func(s plan.Step) bool { return s.ID() == id && (s.Action == plan.Delete || s.Action == plan.Update) }) {
				t.Errorf("%v: the copy is taken for the volume", meta)
			}
		}
		d.remove(id)
	}
}

// If Cinder cannot create volumes from backups, no volume is created.
func TestRestoreOnOlderClouds(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("it makes a backup for nothing but a refusal")
	}
	g.MustSync(saved)
	old := g.Through((&kindtest.Older{Volume: "3.46"}).Wrap)
	pass := old.Sync(saved + "---" + fromBackup)
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "3.47") {
		t.Errorf("failures are %v", pass.Failures)
	}
	if n := len(disksOf(t, g).list()); n != 1 {
		t.Errorf("%d volumes are there", n)
	}
}

// While a volume is attached to a server, no image is written to it.
func TestReimageInUse(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("it attaches the volume to no server")
	}
	text := needs + "---" + strings.Replace(object, "metadata: {name: data}", `metadata: {name: data, annotations: {stackreeve.dev/change-policy: "imageRef=reimage"}}`, 1)
	g.MustSync(text)
	var ids []string
	for id := range disksOf(t, g).list() {
		ids = append(ids, id)
	}
	ask := func(method, path string, body, into any) {
		t.Helper()
		if err := g.Client(nil).Do(context.WithoutCancel(t.Context()), cloud.Call{Service: cloud.BlockStorage, Method: method, Path: path, Microversion: "3.44", Body: body, Into: into}); err != nil {
			t.Fatal(err)
		}
	}
	var answer struct{ Attachment struct{ ID string } }
	ask(http.MethodPost, "attachments", map[string]any{"attachment": map[string]any{"volume_uuid": ids[0], "instance_uuid": "11111111-1111-1111-1111-111111111111", "connector": map[string]any{"host": "h"}}}, &answer)
	ask(http.MethodPost, "attachments/"+answer.Attachment.ID+"/action", map[string]any{"os-complete": map[string]any{}}, nil)
	t.Cleanup(func() { ask(http.MethodDelete, "attachments/"+answer.Attachment.ID, nil, nil) })
	for _, s := range g.Plan(strings.Replace(text, "imageRef: os\n", "imageRef: other-os\n", 1)).Steps {
		if s.Key.Kind == "Volume" && (s.Action != plan.Refuse || !strings.Contains(s.FullCause(), "not attached to a server")) {
			t.Errorf("%s: %s", s.Action, s.FullCause())
		}
	}
}
