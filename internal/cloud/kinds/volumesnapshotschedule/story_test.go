package volumesnapshotschedule_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// disks is a target whose snapshots and backups the test reads as people do.
type disks struct {
	t       *testing.T
	g       *kindtest.Target
	c       *cloud.Client
	version string
}

type disk struct {
	ID, Name, Status string
	Volume           string            `json:"volume_id"`
	Metadata         map[string]string `json:"metadata"`
	path             string
}

func newDisks(t *testing.T) *disks { return disksWith(t, kinds) }

func disksWith(t *testing.T, kinds kindtest.Kinds) *disks {
	t.Helper()
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("takes a cloud whose clock can be turned")
	}
	return &disks{t, g, g.Client(nil), "3.56"}
}

// list returns all snapshots and backups, the oldest moment first.
func (d *disks) list() (all []disk) {
	d.t.Helper()
	for _, path := range []string{"snapshots", "backups"} {
		list, err := cloud.List[disk](d.t.Context(), d.c, cloud.Call{Service: cloud.BlockStorage, Path: path + "/detail", Microversion: d.version}, path)
		if err != nil {
			d.t.Fatal(err)
		}
		for i := range list {
			list[i].path = path + "/" + list[i].ID
		}
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b disk) int {
		return strings.Compare(a.Metadata["stackreeve-moment"]+a.ID, b.Metadata["stackreeve-moment"]+b.ID)
	})
	return all
}

func (d *disks) do(method, path string, body any) {
	d.t.Helper()
	if err := d.c.Do(d.t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: method, Path: path, Body: body, Microversion: d.version}); err != nil {
		d.t.Fatal(err)
	}
}

func (d *disks) write(of disk, metadata map[string]string) {
	d.t.Helper()
	if strings.HasPrefix(of.path, "backups/") {
		d.do(http.MethodPut, of.path, map[string]any{"backup": map[string]any{"metadata": metadata}})
		return
	}
	d.do(http.MethodPut, of.path+"/metadata", map[string]any{"metadata": metadata})
}

// age makes the whole series older: it moves the moments in the metadata back by a duration.
func (d *disks) age(by time.Duration) {
	d.t.Helper()
	d.settle()
	for _, one := range d.list() {
		at, err := time.Parse(time.RFC3339, one.Metadata["stackreeve-moment"])
		if err != nil {
			d.t.Fatal(err)
		}
		all := maps.Clone(one.Metadata)
		all["stackreeve-moment"] = at.Add(-by).Format(time.RFC3339)
		d.write(one, all)
	}
}

// settle waits until the cloud has finished all snapshots and backups.
func (d *disks) settle() {
	d.t.Helper()
	for slices.ContainsFunc(d.list(), func(one disk) bool { return one.Status != "available" && one.Status != "error" }) {
		continue // no pause is needed: the simulator's work goes on with each request, and list sends some
	}
}

// passes runs n passes, each of which must end in sync. After each pass, it waits until the cloud has finished.
func (d *disks) passes(manifests string, n int) (last engine.Pass) {
	d.t.Helper()
	for range n {
		last = d.g.MustSync(manifests)
		d.settle()
	}
	return last
}

// A snapshot is created when it is due, and the oldest is deleted when the newer one exists. Neither counts as a difference for
// plans, for the sync status or for the brake.
func TestTakenWhenDueAndRemovedWhenOld(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	for _, taken := range []string{"Snapshot", "Backup"} {
		t.Run(taken, func(t *testing.T) {
			d := newDisks(t)
			all := needs + "---" + strings.Replace(object, "  keep: 2\n", "  keep: 2\n  type: "+taken+"\n", 1)
			d.g.MustSync(all)
			first := d.list()
			if len(first) != 1 || first[0].Metadata["stackreeve"] == "" || !strings.HasPrefix(first[0].Name, "data-2") {
				t.Fatalf("the first one is not taken at once: %v", first)
			}
			var count kindtest.Counter
			if pass := d.g.SyncThrough(all, count.Wrap); count.Writes.Load() != 0 || len(pass.Results) != 0 {
				t.Errorf("with nothing due: %d writes", count.Writes.Load())
			}
			for nights := range 4 {
				d.age(24 * time.Hour)
				if p := d.g.Plan(all); !p.InSync() || p.Differing() != 0 || p.Summary().Writes() != 0 || p.Outcome() != plan.InSync {
					t.Errorf("a plan knows of it: %v", p.Summary())
				}
				pass := d.passes(all, 1)
				if pass.First.Summary().Writes() != 0 || pass.Drifted() != 0 || len(pass.Results) == 0 {
					t.Errorf("%d results, %d drifted, %v", len(pass.Results), pass.Drifted(), pass.First.Summary())
				}
				if d.passes(all, 1); len(d.list()) != 2 {
					t.Errorf("after %d nights there are %d", nights+1, len(d.list()))
				}
			}
			if slices.ContainsFunc(d.list(), func(one disk) bool { return one.ID == first[0].ID }) {
				t.Error("the oldest has not gone")
			}
		})
	}
}

// If the agent misses several nights, it creates one snapshot later.
func TestMissedNights(t *testing.T) {
	d := newDisks(t)
	d.g.MustSync(needs + "---" + object)
	d.age(31 * 24 * time.Hour)
	if d.passes(needs+"---"+object, 3); len(d.list()) != 1 { // the old snapshot is older than keepFor
		t.Errorf("there are %v", d.list())
	}
}

// If a commit lowers keep, that is a loss of data. The plan says so, and the brake counts it.
func TestFewerKeptIsALoss(t *testing.T) {
	d := newDisks(t)
	many := needs + "---" + strings.Replace(object, "keep: 2", "keep: 5", 1)
	d.g.MustSync(many)
	for range 3 {
		d.age(24 * time.Hour)
		d.passes(many, 1)
	}
	fewer := strings.Replace(many, "keep: 5", "keep: 1", 1)
	p := d.g.Plan(fewer)
	at := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Key == key })
	if s := p.Steps[at]; s.Action != plan.Update || len(s.Loss) != 1 || !strings.HasPrefix(s.Loss[0], "3 of the 4 ") {
		t.Errorf("%s %v: %v", s.Action, s.Changes, s.Loss)
	}
	limit, err := guard.ParseLimit("0")
	if err != nil {
		t.Fatal(err)
	}
	e := d.g.Engine(d.c)
	e.Limits = guard.Limits{All: limit}
	pass := e.Sync(t.Context(), engine.Revision{Commit: "fewer", Want: d.g.Resolve(fewer)})
	if pass.First.Held == nil || len(d.list()) != 4 {
		t.Errorf("held: %q, %d are left", pass.First.Held, len(d.list()))
	}
	d.age(48 * time.Hour)
	pass = e.Sync(t.Context(), engine.Revision{Commit: "many", Want: d.g.Resolve(many)})
	if pass.Outcome() != plan.InSync || len(d.list()) != 5 {
		t.Errorf("what time makes due is held by the brake: %s, %d", pass.First.Held, len(d.list()))
	}
	d.settle()
	approved := []plan.Approval{{Hash: e.Preview(t.Context(), "fewer", d.g.Resolve(fewer), nil).Hash()}}
	if pass = e.Sync(t.Context(), engine.Revision{Commit: "fewer", Want: d.g.Resolve(fewer), Approved: approved}); pass.Outcome() != plan.InSync {
		t.Fatal(pass.Outcome(), pass.First.Held, pass.Failures)
	}
	d.settle()
	if left := d.list(); len(left) != 1 {
		t.Errorf("%d are left", len(left))
	}
}

// If a commit changes the times of snapshots, all marks are written in place, and no snapshot is deleted.
func TestANewScheduleTakesNothingAway(t *testing.T) {
	d := newDisks(t)
	d.g.MustSync(needs + "---" + object)
	d.age(24 * time.Hour)
	d.g.MustSync(needs + "---" + object)
	var count kindtest.Counter
	pass := d.g.SyncThrough(needs+"---"+strings.Replace(object, "0 3 * * *", "0 4 1 * *", 1), count.Wrap)
	if pass.Outcome() != plan.InSync || count.Writes.Load() != 2 || len(d.list()) != 2 {
		t.Errorf("%s after %d writes: %d are left", pass.Outcome(), count.Writes.Load(), len(d.list()))
	}
}

// If its manifest is removed, a series stays. Then the volume of snapshots stays, too, but the volume of backups can be
// deleted. When the manifest comes back, the series continues.
func TestASeriesOutlivesItsManifest(t *testing.T) {
	d := newDisks(t)
	keep := strings.Replace(object, "  onDelete: delete\n", "", 1)
	d.g.MustSync(needs + "---" + keep)
	first := d.list()[0].ID
	var count kindtest.Counter
	if pass := d.g.SyncThrough(needs, count.Wrap); pass.Outcome() != plan.InSync || count.Writes.Load() != 0 {
		t.Errorf("%s after %d writes: %v", pass.Outcome(), count.Writes.Load(), pass.Failures)
	}
	said := false
	for _, s := range d.g.Plan("").Steps {
		said = said || s.Key.Kind == "Volume" && s.Key.Name == "data" && s.Action == plan.Refuse && strings.Contains(s.FullCause(), "VolumeSnapshotSchedule/nightly uses it")
	}
	if pass := d.g.Sync(""); !said || len(d.list()) != 1 {
		t.Errorf("the volume of snapshots that stay is not refused to go: %v", pass.Last.Steps)
	}
	d.g.MustSync(needs + "---" + keep)
	if list := d.list(); len(list) != 1 || list[0].ID != first {
		t.Errorf("the series does not go on: %v", list)
	}
	d.g.MustSync(needs + "---" + object)
	d.g.MustSync("")
	if list := d.list(); len(list) != 0 {
		t.Errorf("onDelete: delete has left %v", list)
	}
	backup := needs + "---" + strings.Replace(keep, "  keep: 2\n", "  keep: 2\n  type: Backup\n", 1)
	d.g.MustSync(backup)
	d.g.MustSync("")
	if list := d.list(); len(list) != 1 {
		t.Errorf("the backup has not outlived its volume: %v", list)
	}
	d.g.MustSync(backup)
	if list := d.list(); len(list) != 2 {
		t.Errorf("the new volume has no backup, or the old one's is gone: %v", list)
	}
	d.age(24 * time.Hour)
	d.g.MustSync(backup)
	d.age(24 * time.Hour)
	if d.passes(backup, 3); len(d.list()) != 3 {
		t.Errorf("the backup of the former volume counts: %v", d.list())
	}
	for _, one := range d.list() {
		d.do(http.MethodDelete, one.path, nil)
	}
	d.g.MustSync("")
}

// Anybody who can write to the project can forge a mark. A forged mark on a snapshot of another volume has no effect. If a
// snapshot has the mark of another owner, too, the agent changes nothing.
func TestAttackForgedMarks(t *testing.T) {
	d := newDisks(t)
	plain := "---\napiVersion: stackreeve.dev/v1alpha1\nkind: VolumeSnapshot\nmetadata: {name: byhand}\nspec: {resource: {volumeRef: other}}\n"
	all := needs + "---" + object
	d.g.MustSync(all + plain)
	list := d.list()
	i := slices.IndexFunc(list, func(one disk) bool { return one.Name == "byhand" })
	hand, ours := list[i], list[1-i]
	original := hand.Metadata
	forged := maps.Clone(ours.Metadata)
	forged["stackreeve-moment"] = "2036-01-01T00:00:00Z"
	d.write(hand, forged)
	forged = maps.Clone(ours.Metadata)
	forged["stackreeve-moment"] = time.Now().Add(-72 * time.Hour).UTC().Format(time.RFC3339)
	d.write(ours, forged)
	for range 3 {
		d.g.MustSync(all)
	}
	if list := d.list(); len(list) != 3 || !slices.ContainsFunc(list, func(one disk) bool { return one.ID == hand.ID }) {
		t.Errorf("a forged mark puts off a snapshot, or something is deleted for it: %v", list)
	}
	d.write(hand, original)

	two := maps.Clone(ours.Metadata)
	two["Stackreeve"] = "stackreeve:zz-another:VolumeSnapshotSchedule/nightly"
	d.write(ours, two)
	var count kindtest.Counter
	for _, manifests := range []string{all + plain, needs + plain, all + plain} {
		pass := d.g.SyncThrough(manifests, count.Wrap)
		if pass.Outcome() == plan.InSync || count.Writes.Load() != 0 || len(d.list()) != 3 {
			t.Errorf("%s, %d writes, %v", pass.Outcome(), count.Writes.Load(), d.list())
		}
	}
	delete(two, "Stackreeve")
	d.write(ours, two)
	d.g.MustSync(all + plain)
}

// If the cloud refuses a list, no item becomes due, and none counts as old.
func TestRefusedListsMakeNothingDue(t *testing.T) {
	for _, path := range []string{"/snapshots/detail", "/backups/detail"} {
		d := newDisks(t)
		all := needs + "---" + object
		d.g.MustSync(all)
		for range 2 {
			d.age(24 * time.Hour)
			d.g.MustSync(all)
		}
		d.age(24 * time.Hour)
		var count kindtest.Counter
		pass := d.g.SyncThrough(all, func(next http.RoundTripper) http.RoundTripper { return refusing{path, count.Wrap(next)} })
		if count.Writes.Load() != 0 || pass.Outcome() != plan.Broken {
			t.Errorf("%s: %s after %d writes", path, pass.Outcome(), count.Writes.Load())
		}
	}
}

type refusing struct {
	path string
	next http.RoundTripper
}

func (r refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, r.path) {
		return &http.Response{StatusCode: http.StatusForbidden, Body: http.NoBody, Request: req, Header: http.Header{}}, nil
	}
	return r.next.RoundTrip(req)
}

// If the cloud refuses a due snapshot, the pass reports a failure, and the next pass tries again.
func TestWhatIsDueAndRefusedIsAFailure(t *testing.T) {
	d := newDisks(t)
	all := needs + "---" + object
	d.g.MustSync(all)
	d.age(24 * time.Hour)
	pass := d.g.SyncThrough(all, func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/snapshots") {
				return &http.Response{StatusCode: http.StatusRequestEntityTooLarge, Body: http.NoBody, Request: req, Header: http.Header{}}, nil
			}
			return next.RoundTrip(req)
		})
	})
	if pass.Outcome() != plan.Broken || len(pass.Failures) != 1 || pass.Failures[0].Key != key {
		t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
	}
	if d.g.MustSync(all); len(d.list()) != 2 {
		t.Errorf("there are %v", d.list())
	}
}

// Cinder refuses to delete the newest item of a series until the pass has read a list in which another item is missing. The
// pass still deletes all items.
func TestASeriesGoesThoughOneIsBusy(t *testing.T) {
	d := newDisks(t)
	d.g.MustSync(needs + "---" + object)
	for range 2 {
		d.age(24 * time.Hour)
		d.passes(needs+"---"+strings.Replace(object, "keep: 2", "keep: 3", 1), 1)
	}
	series := d.list()
	if len(series) != 3 {
		t.Fatalf("there are %v", series)
	}
	newest := series[2]
	var refused, seen atomic.Bool
	pass := d.g.SyncThrough(needs, func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "/snapshots/detail") && len(d.list()) < len(series) {
				seen.Store(true)
			}
			if req.Method == http.MethodDelete && strings.HasSuffix(req.URL.Path, newest.path) && !seen.Load() {
				refused.Store(true)
				body := `{"badRequest": {"code": 400, "message": "Invalid snapshot: Snapshot status must be available or error"}}`
				return &http.Response{StatusCode: http.StatusBadRequest, Body: io.NopCloser(strings.NewReader(body)), Request: req, Header: http.Header{"Content-Type": {"application/json"}}}, nil
			}
			return next.RoundTrip(req)
		})
	})
	if pass.Outcome() != plan.InSync || !refused.Load() || len(d.list()) != 0 {
		t.Errorf("%s (one was busy: %t): %v, left are %v", pass.Outcome(), refused.Load(), pass.Failures, d.list())
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// If nothing is due, a pass reads one list of snapshots and one of backups, for all kinds together.
func TestNothingDueCostsNothing(t *testing.T) {
	d := newDisks(t)
	all := needs + "---" + object
	d.g.MustSync(all)
	var mu sync.Mutex
	lists := map[string]int{}
	d.g.SyncThrough(all, func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if at := strings.LastIndex(strings.TrimSuffix(req.URL.Path, "/detail"), "/"); strings.HasSuffix(req.URL.Path, "/detail") {
				mu.Lock()
				lists[req.URL.Path[at+1:]]++
				mu.Unlock()
			}
			return next.RoundTrip(req)
		})
	})
	if lists["snapshots/detail"] != 1 || lists["backups/detail"] != 1 {
		t.Errorf("lists are %v", lists)
	}
}

// A failed snapshot stays until another one exists, and the status shows it.
func TestAFailedSnapshotIsShown(t *testing.T) {
	d := newDisks(t)
	all := needs + "---" + object
	d.g.MustSync(all)
	d.age(24 * time.Hour)
	d.g.MustSync(all)
	list := d.list()
	failed := list[len(list)-1]
	admin := d.g.Beside("admin").Client(nil)
	if err := admin.Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: failed.path + "/action",
		Body: map[string]any{"os-reset_status": map[string]any{"status": "error"}}}); err != nil {
		t.Fatal(err)
	}
	pass := d.g.MustSync(all)
	if len(d.list()) != 2 || len(pass.Results) != 0 {
		t.Errorf("it is removed, or another is taken at once: %v", d.list())
	}
	for _, o := range status.Of(pass.Last, d.g.Engine(d.c).Kinds) {
		if o.Metadata.Name == key.Name && (o.Status.State != status.StateDegraded || !strings.Contains(o.Status.Message, "the newest snapshot failed (status error); the next attempt is made after")) {
			t.Errorf("status is %s: %s", o.Status.State, o.Status.Message)
		}
	}
}

// If an agent starts and the commit is refused, it creates due snapshots, and deletes none.
func TestACautiousAgentRemovesNothing(t *testing.T) {
	d := newDisks(t)
	all := needs + "---" + object
	d.g.MustSync(all)
	cautious := func() engine.Pass {
		return d.g.Engine(d.c).Sync(context.WithoutCancel(t.Context()), engine.Revision{Commit: "test", Want: d.g.Resolve(all), Policies: []plan.Policy{guard.Cautious}})
	}
	for range 3 {
		d.age(24 * time.Hour)
		cautious()
		cautious()
	}
	if len(d.list()) != 4 {
		t.Errorf("there are %v", d.list())
	}
}
