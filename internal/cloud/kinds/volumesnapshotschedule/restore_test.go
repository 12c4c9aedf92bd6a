package volumesnapshotschedule_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/volume"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const again = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: again}
spec:
  resource:
    name: again-1
    description: as it was
    size: 2
    restoreFrom: {scheduleRef: nightly}
    metadata: [{name: role, value: store}]
`

// A volume that is restored from a series obeys the laws of all volumes. The simulated cloud needs no time, so that
// one pass creates both.
func TestLawsOfARestoredVolume(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	for _, taken := range []string{"Snapshot", "Backup"} {
		t.Run(taken, func(t *testing.T) {
			kindtest.Suite{
				Kinds: all.Kinds, Needs: needs + "---" + ofType(taken), Object: again, Partial: true, Simulator: &simulator.Options{BuildDelay: time.Nanosecond},
				Key: manifest.Key{Group: define.OrcGroup, Kind: "Volume", Namespace: "default", Name: "again"},
				Edits: []kindtest.Edit{
					{Field: "spec.resource.description", Old: "as it was", New: "scratch"},
					{Field: "spec.resource.size", Old: "size: 2", New: "size: 3"},
				},
			}.Run(t)
		})
	}
}

func ofType(taken string) string {
	return strings.Replace(object, "  keep: 2\n", "  keep: 2\n  type: "+taken+"\n", 1)
}

// source is the ID of the snapshot from which a volume was created; "" if there is no such snapshot or volume.
func (d *disks) source(name string) string {
	d.t.Helper()
	type volume struct {
		Name     string
		Snapshot string            `json:"snapshot_id"`
		Metadata map[string]string `json:"metadata"`
	}
	list, err := cloud.List[volume](d.t.Context(), d.c, cloud.Call{Service: cloud.BlockStorage, Path: "volumes/detail"}, "volumes")
	if err != nil {
		d.t.Fatal(err)
	}
	for _, v := range list {
		if v.Name == name {
			return v.Snapshot
		}
	}
	return ""
}

// refusal returns the reason why a plan refuses to create a volume; "" if it does not refuse that.
func refusal(p plan.Plan, name string) string {
	for _, s := range p.Steps {
		if s.Key.Name == name && s.Key.Kind == "Volume" && s.Action == plan.Refuse {
			return s.FullCause()
		}
	}
	return ""
}

// A new volume gets the data of the newest snapshot, or of the newest one up to a given time. Later snapshots do
// not change the volume, and neither does the deletion of the series.
func TestRestoreTheNewest(t *testing.T) {
	d := newDisks(t)
	series := needs + "---" + object
	if why := refusal(d.g.Plan(series+"---"+again), "again"); !strings.Contains(why, " VolumeSnapshotSchedule/nightly") {
		t.Errorf("without a series: %q", why)
	}
	d.g.MustSync(series)
	d.age(24 * time.Hour)
	d.passes(series, 1)
	list := d.list()
	older, newer := list[0], list[1]
	before := strings.Replace(again, "{scheduleRef: nightly}", "{scheduleRef: nightly, before: BEFORE}", 1)
	at := strings.NewReplacer("again", "earlier", "BEFORE", older.Metadata["stackreeve-moment"]).Replace(before)
	all := series + "---" + again + "---" + at
	d.passes(all, 1)
	if d.source("again-1") != newer.ID || d.source("earlier-1") != older.ID {
		t.Errorf("made from %s and %s, want %s and %s", d.source("again-1"), d.source("earlier-1"), newer.ID, older.ID)
	}
	d.age(24 * time.Hour)
	if d.passes(all, 3); len(d.list()) != 2 || !d.g.Plan(all).InSync() {
		t.Error("what was taken later makes a difference")
	}
	if p := d.g.Plan(needs + "---" + again + "---" + at); slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Key.Kind == "Volume" && s.Action != plan.Keep }) {
		t.Errorf("the end of the series makes a difference: %v", p.Summary())
	}
	never := strings.NewReplacer("again", "more", "BEFORE", "2020-01-01T00:00:00Z").Replace(before)
	if why := refusal(d.g.Plan(all+"---"+never), "more"); !strings.Contains(why, " 2020-01-01T00:00:00Z") {
		t.Errorf("refusal is %q", why)
	}
	d.g.Refuses(map[string]string{"yesterday": "spec.resource.restoreFrom.before", "2026-01-01": "spec.resource.restoreFrom.before"}, func(change string) string {
		return strings.Replace(before, "BEFORE", change, 1)
	})
}

// Snapshots that stay after their manifest is removed are found by its mark, but only by the stack that created
// them.
func TestRestoreFromWhatWasKept(t *testing.T) {
	d := newDisks(t)
	kept := strings.Replace(ofType("Backup"), "  onDelete: delete\n", "", 1)
	d.passes(needs+"---"+kept, 1)
	backup := d.list()[0]
	d.g.MustSync("")
	other := *d.g
	other.Stack = "another"
	if why := refusal(other.Plan(again), "again"); !strings.Contains(why, " VolumeSnapshotSchedule/nightly") {
		t.Errorf("another stack restores it: %q", why)
	}
	restored := ""
	d.g.SyncThrough(again, func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/volumes") {
				body, err := req.GetBody()
				if err != nil {
					return nil, err
				}
				text := make([]byte, 4096)
				n, _ := body.Read(text)
				restored = string(text[:n])
			}
			return next.RoundTrip(req)
		})
	})
	if !strings.Contains(restored, backup.ID) {
		t.Errorf("the request is %s, want one for backup %s", restored, backup.ID)
	}
	if d.g.MustSync(again); len(d.list()) != 1 {
		t.Errorf("there are %v", d.list())
	}
}

// If a snapshot is too large for the volume, the plan refuses that before anything is created.
func TestRestoreIntoASmallerVolume(t *testing.T) {
	d := newDisks(t)
	large := strings.Replace(needs+"---"+object, "size: 1", "size: 3", 1)
	d.passes(large, 1)
	if why := refusal(d.g.Plan(large+"---"+again), "again"); !strings.Contains(why, " 3 GiB, ") {
		t.Errorf("refusal is %q", why)
	}
}

// If snapshots of several volumes have one mark, the agent chooses none of them. Otherwise somebody who forges the
// mark could put data into a new volume.
func TestAttackRestoreOfAForgedSeries(t *testing.T) {
	d := newDisks(t)
	d.passes(needs+"---"+object+"---\napiVersion: stackreeve.dev/v1alpha1\nkind: VolumeSnapshot\nmetadata: {name: byhand}\nspec: {resource: {volumeRef: other}}\n", 1)
	list := d.list()
	hand, ours := list[0], list[1]
	if hand.Name != "byhand" {
		hand, ours = ours, hand
	}
	d.write(hand, ours.Metadata)
	all := needs + "---" + object + "---"
	why := refusal(d.g.Plan(all+again), "again")
	if !strings.Contains(why, ours.Volume) || !strings.Contains(why, hand.Volume) {
		t.Errorf("refusal is %q", why)
	}
	d.passes(all+strings.Replace(again, "nightly}", "nightly, volumeID: "+ours.Volume+"}", 1), 1)
	if d.source("again-1") != ours.ID {
		t.Errorf("made from %s", d.source("again-1"))
	}
}

const group = `
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: db}
spec:
  replicas: 2
  template:
    image: cirros
    flavor: m1.nano
    network: private
    volumes:
      - {name: data, size: 1, snapshots: {schedule: "0 3 * * *", timeZone: Europe/Berlin, keep: 3}}
`

const newGroup = `
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: base}
spec:
  replicas: 2
  template:
    image: cirros
    flavor: m1.nano
    network: private
    volumes:
      - {name: disk, size: 2, restoreFrom: {group: db, volume: data}}
`

// Each machine of a new group gets the data of the machine with the same number in the old group, even if the old
// group's manifest was removed.
func TestAGroupFromAnother(t *testing.T) {
	for _, gone := range []bool{false, true} {
		t.Run(fmt.Sprint("gone ", gone), func(t *testing.T) {
			d := disksWith(t, all.Kinds)
			d.passes(group, 1)
			points := map[string]string{}
			for _, one := range d.list() {
				points[one.Metadata["stackreeve"][strings.LastIndex(one.Metadata["stackreeve"], "/")+1:]] = one.ID
			}
			if len(points) != 2 || points["db-0-data"] == "" || points["db-1-data"] == "" {
				t.Fatalf("snapshots are %v", points)
			}
			manifests := group + "---" + newGroup
			if gone {
				manifests = newGroup
				d.passes("", 1)
			}
			d.passes(manifests, 1)
			for i := range 2 {
				if got := d.source(fmt.Sprintf("base-%d-disk", i)); got != points[fmt.Sprintf("db-%d-data", i)] {
					t.Errorf("the volume of base-%d was made from %q, want one of %v", i, got, points)
				}
			}
			third := strings.Replace(newGroup, "replicas: 2", "replicas: 3", 1)
			if why := refusal(d.g.Plan(strings.Replace(manifests, newGroup, third, 1)), "base-2-disk"); !strings.Contains(why, " VolumeSnapshotSchedule/db-2-data") {
				t.Errorf("for a machine that the old group did not have: %q", why)
			}
		})
	}
}

// If a machine is removed from its group, its volume and the snapshots stay. If the volume says onDelete: delete,
// all of them are deleted, and none waits for another forever.
func TestAMemberGoes(t *testing.T) {
	d := disksWith(t, all.Kinds)
	d.passes(group, 1)
	fewer := strings.Replace(group, "replicas: 2", "replicas: 1", 1)
	if d.passes(fewer, 1); len(d.list()) != 2 {
		t.Errorf("snapshots are %v", d.list())
	}
	d.passes(group, 1)
	going := strings.Replace(group, "size: 1,", "size: 1, onDelete: delete,", 1)
	d.passes(going, 1)
	if d.passes(strings.Replace(going, "replicas: 2", "replicas: 1", 1), 1); len(d.list()) != 1 {
		t.Errorf("snapshots are %v", d.list())
	}
}

// A group's machines are changed one after the other, but their snapshots are created independently: a due snapshot
// is no change of a machine.
func TestSnapshotsOfAGroupThatIsLeftAsItIs(t *testing.T) {
	d := disksWith(t, all.Kinds)
	d.passes(group, 1)
	d.age(24 * time.Hour)
	held := strings.Replace(group, "  replicas: 2\n", "  replicas: 2\n  strategy: {type: OnDelete}\n", 1)
	var pass engine.Pass
	if pass = d.passes(strings.Replace(held, "m1.nano", "m1.tiny", 1), 1); len(d.list()) != 4 {
		t.Errorf("%v: snapshots are %v", pass.Outcome(), d.list())
	}
}

// A spare machine has no snapshots, and its volumes are empty at first.
func TestSparesHaveNoSnapshots(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	surging := strings.NewReplacer("  replicas: 2\n", "  replicas: 2\n  strategy: {maxSurge: 1}\n", "keep: 3}}", "keep: 3}, restoreFrom: {group: old}}").Replace(group)
	schedules, sources := 0, 0
	for _, want := range g.Resolve(surging) {
		if want.Key.Kind == "VolumeSnapshotSchedule" {
			schedules++
		}
		if v, ok := want.Spec.(*volume.Spec); ok && v.RestoreFrom != nil {
			sources++
		}
	}
	if schedules != 2 || sources != 2 {
		t.Errorf("%d schedules and %d volumes that begin with others' data, want 2 of each", schedules, sources)
	}
}
