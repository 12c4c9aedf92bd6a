package etcdcluster_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const (
	shelf = `
---
apiVersion: stackreeve.dev/v1alpha1
kind: SwiftContainer
metadata: {name: backups}
spec: {resource: {}}
`
	backup = shelf + `
---
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdBackup
metadata: {name: kv-once}
spec: {clusterRef: kv, storageType: Swift, swift: {container: backups}}
`
)

// restoreOf returns the manifest of an EtcdRestore for cluster kv, with this source.
func restoreOf(source string) string {
	return `
---
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdRestore
metadata: {name: kv}
spec: {etcdCluster: {name: kv}, backupStorageType: Swift, ` + source + `}
`
}

var ofBackup = restoreOf("backupRef: kv-once")

// keys are data that do not fit into one request.
var keys = strings.Repeat("all the keys and values ", 10<<20/24)

// lost returns a world in which only the backup of a cluster exists.
func lost(t *testing.T) *world {
	t.Helper()
	w := emptied(t)
	w.MustSync(sized(3))
	w.Fill(keys)
	w.MustSync(sized(3) + backup)
	w.forget()
	return w
}

// emptied returns a world. At the end of the test it deletes all objects of the container, because removing a manifest
// does not delete them.
func emptied(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		list, err := cloud.List[struct{ Name string }](ctx, w.client, cloud.Call{Service: cloud.ObjectStore, Path: "backups"}, "")
		for _, o := range list {
			err = errors.Join(err, w.client.Do(ctx, cloud.Call{Service: cloud.ObjectStore, Method: http.MethodDelete, Path: "backups/" + o.Name}))
		}
		if err != nil && !errors.Is(err, kind.ErrGone) {
			t.Error(err)
		}
	})
	return w
}

// forget deletes everything of the cluster, including its disks.
func (w *world) forget() {
	w.t.Helper()
	for _, m := range w.look() {
		w.Wipe(m.Disk)
	}
	w.MustSync(shelf)
}

// restored fails the test unless the cluster has every key.
func (w *world) restored(size int) {
	w.t.Helper()
	w.settled(size)
	if data := w.Data(); len(data) != 1 || data[0] != keys {
		w.t.Errorf("there are %d clusters, and it is not every key that is there", len(data))
	}
}

// restore returns the status of the EtcdRestore, and its step in the plan.
func (w *world) restore(p plan.Plan) (is string, step plan.Step) {
	w.t.Helper()
	if i := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Key.Kind == "EtcdRestore" }); i >= 0 {
		step = p.Steps[i]
	}
	for _, s := range status.Of(p, all.Kinds(nil, w.Defaults)) {
		if text, err := json.Marshal(s); err == nil && strings.Contains(string(text), `"kind":"EtcdRestore"`) {
			is = string(text)
		}
	}
	return is, step
}

// begins returns the snapshot with which the cluster is to begin, as the plan shows it; "" for none.
func begins(step plan.Step) string {
	for _, c := range step.Changes {
		if c.Field == "spec.etcdCluster.name" {
			return fmt.Sprint(c.Want)
		}
	}
	return ""
}

// down returns the state of the restore in one word; "" if nothing is wrong.
func down(step plan.Step) string {
	if step.Have == nil {
		return ""
	}
	return step.Have.Down
}

// A cluster that has lost everything starts from the newest snapshot, and has every key.
func TestEverythingIsLostAndRestored(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := lost(t)
	if _, step := w.restore(w.Plan(sized(3) + shelf + ofBackup)); !strings.Contains(begins(step), "backups/") || !strings.Contains(begins(step), "revision") {
		t.Errorf("the plan says %q", begins(step))
	}
	w.MustSync(sized(3) + shelf + ofBackup)
	w.restored(3)
	pass := w.MustSync(sized(3) + shelf + ofBackup)
	if status, _ := w.restore(pass.Last); len(pass.Results) > 0 || !strings.Contains(status, `"succeeded":true`) {
		t.Errorf("a second pass does %v; the status is %s", pass.Results, status)
	}
	changed := sized(3) + shelf + restoreOf("swift: {container: backups}")
	if _, step := w.restore(w.Plan(changed)); len(step.Changes) > 0 || !slices.ContainsFunc(step.Notes, func(n kind.Note) bool { return n.Field == "spec" }) {
		t.Errorf("of a change the plan has %v and says %v", step.Changes, step.Notes)
	}
	w.MustSync(sized(3) + shelf) // the manifest of the restore is removed
	w.restored(3)
}

// The agent restores nothing over a running cluster, nor over a lost one that still has ports.
func TestNothingIsRestoredOverACluster(t *testing.T) {
	w := emptied(t)
	w.MustSync(sized(3))
	w.Fill(keys)
	w.MustSync(sized(3) + backup)
	w.Fill("newer")
	for range 2 {
		pass := w.Sync(sized(3) + backup + ofBackup)
		if status, step := w.restore(pass.Last); down(step) != "refused" || strings.Contains(status, `"succeeded":true`) {
			t.Errorf("the restore is %q, the status %s", down(step), status)
		}
		if data := w.Data(); len(data) > 1 || len(data) == 1 && data[0] != "newer" {
			t.Error("something was restored")
		}
		for _, m := range w.look() {
			w.Wipe(m.Disk)
		}
	}
}

// An agent dies at each request of a restore. The next agent knows nothing of it. It ends with every key, and never
// begins an empty cluster.
func TestAgentsDieAtEachRequestOfARestore(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	w := lost(t)
	all := sized(1) + shelf + ofBackup
	for n := 1; ; n++ {
		died := w.dies(all, n)
		if data := w.Data(); len(data) > 0 && data[0] != keys {
			t.Fatalf("after request %d a cluster without the keys has begun", n)
		}
		w.MustSync(all)
		w.restored(1)
		if !died {
			if n < 4 {
				t.Errorf("a restore has %d requests", n)
			}
			return
		}
		w.forget()
	}
}

// If a machine has part of a snapshot and the manifest of the restore is removed, the machine does not begin an empty
// cluster.
func TestHalfASnapshotNeverBeginsEmpty(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	w := lost(t)
	if !w.dies(sized(1)+shelf+ofBackup, 2) {
		t.Fatal("nobody has died")
	}
	w.Sync(sized(1) + shelf)
	if data := w.Data(); len(data) > 0 {
		t.Error("a cluster has begun without the snapshot")
	}
	w.MustSync(sized(1) + shelf + ofBackup)
	w.restored(1)
}

// An agent dies at each request of a restore, and the machine's disk is lost, too. The snapshot is sent again from the
// beginning.
func TestARestoreBeginsAgainOnAnEmptyDisk(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	w := lost(t)
	all := sized(1) + shelf + ofBackup
	for n := 1; n <= 3; n++ { // a restore has three requests; after the fourth, the cluster exists
		if !w.dies(all, n) {
			t.Fatalf("a restore has no request %d", n)
		}
		for _, m := range w.look() {
			w.Wipe(m.Disk)
		}
	}
	w.MustSync(all)
	w.restored(1)
}

// Some versions of etcd cannot raise the revisions of a restored snapshot. The plan notes that.
func TestRevisionsThatDoNotGoUp(t *testing.T) {
	w := newWorld(t)
	for version, want := range map[string]bool{"3.4.23": true, "3.5.9": true, "3.5.10": false, "3.6.0": false} {
		manifests := strings.Replace(sized(3), "3.5.35", version, 1)
		for more, want := range map[string]bool{shelf + ofBackup: want, "": false} {
			told := slices.ContainsFunc(w.Resolve(manifests+more), func(d kind.Desired) bool {
				return slices.ContainsFunc(d.Notes, func(n kind.Note) bool { return n.Field == "spec.version" })
			})
			if told != want {
				t.Errorf("%s, restored: %v: it is said: %v", version, more != "", told)
			}
		}
	}
}

// meanwhile is a transport that calls do just before the agent reads the n-th part of a snapshot.
type meanwhile struct {
	next http.RoundTripper
	n    int
	do   func()
}

func (m *meanwhile) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Range") != "" {
		if m.n--; m.n == 0 {
			m.do()
		}
	}
	return m.next.RoundTrip(req)
}

// A snapshot is removed or replaced while it is read. The message names the snapshot. The next pass uses the snapshot
// that is the newest then.
func TestASnapshotThatGoesWhileItIsRead(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	for name, c := range map[string]struct {
		goes func(w *world, name string)
		want error
	}{
		"removed":  {func(w *world, name string) { w.discard(name) }, kind.ErrGone},
		"replaced": {func(w *world, name string) { w.object(name, []byte("others"), sumOf([]byte("others"))) }, etcdstore.ErrReplaced},
	} {
		t.Run(name, func(t *testing.T) {
			w := lost(t)
			all := sized(1) + shelf + ofBackup
			first := w.snapshots()[0] // there is only one
			w.older(first)
			target := w.Target.Through(func(next http.RoundTripper) http.RoundTripper {
				return interrupter{w.ends, recorder{w.created, &meanwhile{next, 2, func() { c.goes(w, first) }}}}
			})
			ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
			defer stop()
			e := target.Engine(target.Client(nil))
			pass := e.Sync(ctx, engine.Revision{Commit: "test", Want: target.Resolve(all)})
			if !slices.ContainsFunc(pass.Results, func(r engine.Result) bool {
				return errors.Is(r.Err, c.want) && strings.Contains(r.Err.Error(), first)
			}) {
				t.Errorf("no error of %v names the snapshot %s: %v", c.want, first, pass.Results)
			}
			w.MustSync(all)
			w.restored(1)
		})
	}
}

// snapshots returns the names of all objects in the container.
func (w *world) snapshots() (names []string) {
	w.t.Helper()
	list, err := cloud.List[struct{ Name string }](w.t.Context(), w.client, cloud.Call{Service: cloud.ObjectStore, Path: "backups"}, "")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, o := range list {
		names = append(names, o.Name)
	}
	return names
}

// older adds another snapshot of the series with all keys. It is an hour older than the given one.
func (w *world) older(than string) {
	w.t.Helper()
	h, err := w.client.Head(w.t.Context(), cloud.ObjectStore, "backups/"+than)
	if err != nil {
		w.t.Fatal(err)
	}
	headers := map[string]string{"Content-Type": "application/octet-stream"}
	for _, what := range []string{"", "-Applied", "-Sha256", "-Revision"} {
		headers["X-Object-Meta-Stackreeve"+what] = h.Get("X-Object-Meta-Stackreeve" + what)
	}
	headers["X-Object-Meta-Stackreeve-Moment"] = time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	inner := sha256.Sum256([]byte(keys))
	err = w.client.Do(w.t.Context(), cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPut, Path: "backups/" + strings.Replace(than, "/20", "/19", 1),
		Stream: io.NopCloser(bytes.NewReader(append([]byte(keys), inner[:]...))), Headers: headers})
	if err != nil {
		w.t.Fatal(err)
	}
}

// discard deletes an object of the container.
func (w *world) discard(name string) {
	w.t.Helper()
	if err := w.client.Do(w.t.Context(), cloud.Call{Service: cloud.ObjectStore, Method: http.MethodDelete, Path: "backups/" + name}); err != nil {
		w.t.Fatal(err)
	}
}

// object adds an object with data and metadata to the container.
func (w *world) object(name string, data []byte, sum string) {
	w.t.Helper()
	err := w.client.Do(w.t.Context(), cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPut, Path: "backups/" + name, Stream: io.NopCloser(bytes.NewReader(data)),
		Headers: map[string]string{"X-Object-Meta-Stackreeve-Sha256": sum, "Content-Type": "application/octet-stream"}})
	if err != nil {
		w.t.Fatal(err)
	}
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// If the object is no snapshot, or differs from its metadata, no cluster begins with it, and the message names the
// object, or the container that is missing. The machine refuses what only it can judge.
func TestAttackObjectsToRestore(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	inner := sha256.Sum256([]byte("the data"))
	good := append([]byte("the data"), inner[:]...)
	for name, c := range map[string]struct {
		data    []byte
		sum     string
		machine bool   // whether the machine refuses the object
		want    string // in the message
	}{
		"cut":                    {good[:20], sumOf(good), true, "a/b/c.db"},
		"of other bytes":         {bytes.ToUpper(good), sumOf(good), true, "a/b/c.db"},
		"no snapshot":            {[]byte(strings.Repeat("no snapshot", 9)), sumOf([]byte(strings.Repeat("no snapshot", 9))), true, "a/b/c.db"},
		"empty":                  {nil, sumOf(nil), false, "a/b/c.db"},
		"without a digest":       {good, "", false, etcdstore.SayingSum("backups", "a/b/c.db")},
		"with a strange digest":  {good, "../../x&size=1", false, etcdstore.SayingSum("backups", "a/b/c.db")},
		"not there":              {nil, "absent", false, "spec.swift.object"},
		"of a container of none": {nil, "container", false, "spec.swift.container"},
	} {
		t.Run(name, func(t *testing.T) {
			w := emptied(t)
			w.MustSync(shelf)
			source := "swift: {container: backups, object: a/b/c.db}"
			switch c.sum {
			case "absent":
			case "container":
				source = "swift: {container: others, object: a/b/c.db}"
			default:
				w.object("a/b/c.db", c.data, c.sum)
			}
			said, refused := "", false
			for range 2 {
				pass := w.Sync(sized(1) + shelf + restoreOf(source))
				_, step := w.restore(pass.Last)
				said = step.ShortCause()
				if (down(step) == "no snapshot") == c.machine {
					t.Errorf("the restore is %q", down(step))
				}
				for _, r := range pass.Results {
					if r.Err != nil {
						said += r.Err.Error()
						refused = refused || r.Step.Key.Kind == "EtcdMember" && errors.Is(r.Err, kind.ErrRejected)
					}
				}
				if pass.Outcome() == plan.InSync {
					t.Error("the pass is in sync")
				}
			}
			if data := w.Data(); len(data) > 0 || !refused || !strings.Contains(said, c.want) {
				t.Errorf("there are %d clusters; the member is refused: %t; it is said: %s", len(data), refused, said)
			}
		})
	}
}

// If somebody fills a container with objects, the snapshots of a series are still found.
func TestAttackFullContainer(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	w := lost(t)
	full := crowd{}
	target := w.Target.Through(func(next http.RoundTripper) http.RoundTripper {
		full.next = next
		return recorder{w.created, &full}
	})
	other := strings.NewReplacer("name: kv}\nspec: {etcdCluster: {name: kv}", "name: full}\nspec: {etcdCluster: {name: full}").Replace(restoreOf("swift: {container: backups}"))
	all := sized(3) + shelf + ofBackup + "\n---\n" + strings.ReplaceAll(sized(1), "kv", "full") + other
	pass := target.Engine(target.Client(nil)).Sync(context.WithoutCancel(t.Context()), engine.Revision{Commit: "test", Want: target.Resolve(all)})
	said := ""
	for _, s := range pass.Last.Steps {
		if s.Key.Kind == "EtcdRestore" && s.Key.Name == "full" && down(s) == "no snapshot" {
			said += s.FullCause()
		}
	}
	if !strings.Contains(said, "2000") || !strings.Contains(said, "swift: {container, object}") {
		t.Errorf("it is said: %q", said)
	}
	w.restored(3)
}

// crowd makes lists of a whole container contain more names than the agent reads.
type crowd struct{ next http.RoundTripper }

func (c *crowd) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(req.URL.Path, "/backups") || !req.URL.Query().Has("prefix") || req.URL.Query().Get("prefix") != "" {
		return c.next.RoundTrip(req)
	}
	var names []map[string]string
	for n := range 2001 {
		names = append(names, map[string]string{"name": fmt.Sprintf("z/z/z/20260101T000000Z-%d.db", n)})
	}
	text, err := json.Marshal(names)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text)), Request: req}, err
}

// A container of another project counts as missing.
func TestAttackContainerOfAnotherProject(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"../AUTH_other/backups", "..", "%2e%2e", "AUTH_other/backups"} {
		pass := w.Sync(sized(1) + restoreOf(`swift: {container: "`+name+`", object: a/b/c.db}`))
		if _, step := w.restore(pass.Last); down(step) != "no snapshot" || !strings.Contains(step.ShortCause(), "spec.swift.container") || len(w.Data()) > 0 {
			t.Errorf("of %s it is said: %q", name, step.ShortCause())
		}
	}
}

// If the answer for a part of an object is endless, the agent reads only as many bytes as it requested.
func TestAttackEndlessObject(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	w := lost(t)
	endless := endless{}
	target := w.Target.Through(func(next http.RoundTripper) http.RoundTripper {
		endless.next = next
		return recorder{w.created, &endless}
	})
	e := target.Engine(target.Client(nil))
	e.Sync(context.WithoutCancel(t.Context()), engine.Revision{Commit: "test", Want: target.Resolve(sized(1) + shelf + ofBackup)})
	if len(w.Data()) > 0 || endless.sent == 0 || endless.sent > 64<<20 {
		t.Errorf("%d clusters have begun; %d bytes were read", len(w.Data()), endless.sent)
	}
	w.MustSync(sized(1) + shelf + ofBackup)
	w.restored(1)
}

// endless makes answers to requests for parts endless.
type endless struct {
	next http.RoundTripper
	sent int
}

func (e *endless) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Range") == "" {
		return e.next.RoundTrip(req)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(e), Request: req, ContentLength: -1}, nil
}

func (e *endless) Read(p []byte) (int, error) {
	e.sent += len(p)
	return len(p), nil
}

// A series of snapshots of a cluster in the same repository goes on after the first snapshot.
func TestASeriesOfAClusterGoesOn(t *testing.T) {
	testcost.Long(t) // a cluster of machines is created
	w := newWorld(t)
	all := sized(1) + strings.Replace(backup, "clusterRef: kv,", "clusterRef: kv, onDelete: delete, backupPolicy: {backupIntervalInSecond: 3600, maxBackups: 2},", 1)
	w.MustSync(all)
	for _, s := range w.Plan(all).Steps {
		if s.Key.Kind == "EtcdBackup" && (s.Upkeep == nil || s.Upkeep.Next.IsZero()) {
			t.Errorf("%s: no further snapshot is planned: %v", s.Key, s.Upkeep)
		}
	}
	if len(w.snapshots()) != 1 {
		t.Errorf("snapshots: %v", w.snapshots())
	}
}
