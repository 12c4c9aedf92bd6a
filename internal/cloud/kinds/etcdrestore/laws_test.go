package etcdrestore_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/member"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// These tests check plans. The tests of package etcdcluster check restores on machines. A restore creates nothing in the
// cloud, so the laws about creation, adoption, new names and deletion do not apply.

const shelves = `
apiVersion: stackreeve.dev/v1alpha1
kind: SwiftContainer
metadata: {name: backups}
spec: {resource: {}}
`

const restore = `
---
apiVersion: stackreeve.dev/v1alpha1
kind: EtcdCluster
metadata: {name: kv}
spec: {size: 1, version: 3.5.35, clients: [10.0.0.0/8]}
---
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdRestore
metadata: {name: kv}
spec: {etcdCluster: {name: kv}, backupStorageType: Swift, backupRef: hourly}
`

// ports returns manifests of the ports of earlier members, which the tested plans treat as the cluster's ports.
func ports(names ...string) string {
	text := shelves + `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {}}
`
	for _, name := range names {
		text += fmt.Sprintf(`
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: %s}
spec: {resource: {networkRef: front}}
`, name)
	}
	return text
}

// shelf is a target with a container of snapshots.
type shelf struct {
	*kindtest.Target
	t         *testing.T
	client    *cloud.Client
	store     etcdstore.Store
	container string
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("what only a real Swift can show is judged by package etcdbackup")
	}
	g.Defaults.Etcd = &defaults.Etcd{Image: "centos79", Flavor: "n3-1vcpu-2gb", VolumeSize: 1, Repository: "https://mirror.example.org/{version}/etcd"}
	g.MustSync(shelves)
	c := g.Client(nil)
	s := &shelf{g, t, c, etcdstore.New(c, defaults.Defaults{}), "backups"}
	t.Cleanup(s.clear)
	return s
}

// clear deletes all objects of the container.
func (s *shelf) clear() {
	ctx := context.WithoutCancel(s.t.Context())
	list, err := cloud.List[struct{ Name string }](ctx, s.client, cloud.Call{Service: cloud.ObjectStore, Path: "backups"}, "")
	for _, o := range list {
		if err == nil {
			err = s.store.Remove(ctx, "backups", o.Name)
		}
	}
	if err != nil {
		s.t.Error(err)
	}
}

func (s *shelf) owner(stack, kindName, name string) string {
	return ownertext.Of(stack, manifest.Key{Kind: kindName, Namespace: "default", Name: name})
}

var now = time.Now().UTC().Truncate(time.Second)

// put adds an object as an EtcdBackup would write it. Its age is given in hours, and edit changes its metadata. put
// returns the object's name.
func (s *shelf) put(hours int, edit func(m *kind.Mark, notes map[string]string)) string {
	s.t.Helper()
	at := now.Add(-time.Duration(hours) * time.Hour)
	m := kind.Mark{Owner: s.owner(s.Stack, "EtcdBackup", "hourly"), Applied: "x"}
	notes := map[string]string{etcdstore.Sum: strings.Repeat("0a", 32), etcdstore.Moment: at.Format(time.RFC3339), etcdstore.Revision: "47"}
	if edit != nil {
		edit(&m, notes)
	}
	name := etcdstore.SnapshotName(etcdstore.Series(s.Stack, manifest.Key{Namespace: "default", Name: "hourly"}), at, 47)
	ctx := s.t.Context()
	if err := s.store.Put(ctx, s.container, name, m, nil, io.NopCloser(strings.NewReader("data")), 4, time.Minute); err != nil {
		s.t.Fatal(err)
	}
	if m.Applied != "" { // otherwise the object is half-made
		if err := s.store.Write(ctx, etcdstore.Object{Container: s.container, Name: name}, m, notes); err != nil {
			s.t.Fatal(err)
		}
	}
	return name
}

// copied copies an object with its data and all metadata to another name. The copy is newer.
func (s *shelf) copied(from string) {
	s.t.Helper()
	h, err := s.client.Head(s.t.Context(), cloud.ObjectStore, "backups/"+from)
	if err != nil {
		s.t.Fatal(err)
	}
	headers := map[string]string{}
	for name := range h {
		if strings.HasPrefix(name, "X-Object-Meta-") {
			headers[name] = h.Get(name)
		}
	}
	headers["X-Object-Meta-Stackreeve-Moment"] = now.Format(time.RFC3339)
	to := etcdstore.SnapshotName(from[:strings.LastIndexByte(from, '/')+1], now, 48)
	if err := s.client.Do(s.t.Context(), cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPut, Path: "backups/" + to, Headers: headers}); err != nil {
		s.t.Fatal(err)
	}
}

// said returns the action and the text that a plan shows for the restore.
func said(p plan.Plan) (action plan.Action, text string) {
	for _, step := range p.Steps {
		if step.Key.Kind != "EtcdRestore" {
			continue
		}
		text = step.ShortCause()
		for _, c := range step.Changes {
			text += fmt.Sprintf("; %s: %v", c.Field, c.Want)
		}
		for _, n := range step.Notes {
			text += "; " + n.Text
		}
		return step.Action, text
	}
	return "", ""
}

// begins reports whether the plan shows a snapshot with which the cluster is to begin.
func begins(p plan.Plan) bool { return strings.Contains(changed(p), "spec.etcdCluster.name ") }

// changed returns the fields that the plan changes of the restore, each followed by a space.
func changed(p plan.Plan) (fields string) {
	for _, step := range p.Steps {
		for _, c := range step.Changes {
			if step.Key.Kind == "EtcdRestore" {
				fields += c.Field + " "
			}
		}
	}
	return fields
}

// noSnapshot precedes what the message names if there is no snapshot to begin with.
const noSnapshot = "none: "

// The agent selects the newest complete snapshot of the series, whatever objects others add to the container.
func TestAttackWhichSnapshotIsTaken(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	older := func(s *shelf) (name string) { return s.put(2, nil) }
	for name, put := range map[string]func(s *shelf) (want string){
		"the newest": func(s *shelf) string { older(s); return s.put(1, nil) },
		"a half-made one": func(s *shelf) string {
			s.put(1, func(m *kind.Mark, _ map[string]string) { m.Applied = "" })
			return older(s)
		},
		"without a digest": func(s *shelf) string {
			s.put(1, func(_ *kind.Mark, n map[string]string) { delete(n, etcdstore.Sum) })
			return older(s)
		},
		"of another stack": func(s *shelf) string {
			s.put(1, func(m *kind.Mark, _ map[string]string) { m.Owner = s.owner("other", "EtcdBackup", "hourly") })
			return older(s)
		},
		"of another series": func(s *shelf) string {
			s.put(1, func(m *kind.Mark, _ map[string]string) { m.Owner = s.owner(s.Stack, "EtcdBackup", "daily") })
			return older(s)
		},
		"of another kind": func(s *shelf) string {
			s.put(1, func(m *kind.Mark, _ map[string]string) { m.Owner = s.owner(s.Stack, "Volume", "hourly") })
			return older(s)
		},
		"a copy": func(s *shelf) string { name := older(s); s.copied(name); return name },
		"a moment that lies": func(s *shelf) string {
			s.put(3, func(_ *kind.Mark, n map[string]string) { n[etcdstore.Moment] = "0001-01-01T00:00:00Z" })
			return older(s)
		},
		"none": func(*shelf) string { return noSnapshot + "spec.backupRef" },
		"none that is whole": func(s *shelf) string {
			s.put(1, func(m *kind.Mark, _ map[string]string) { m.Applied = "" })
			return noSnapshot + "spec.backupRef"
		},
		"a digest that is none": func(s *shelf) string {
			return noSnapshot + etcdstore.SayingSum(s.container, s.put(1, func(_ *kind.Mark, n map[string]string) { n[etcdstore.Sum] = "../../x&size=1" }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			want := put(s)
			p := s.Plan(shelves + restore)
			action, text := said(p)
			want, none := strings.CutPrefix(want, noSnapshot)
			if !strings.Contains(text, want) || begins(p) == none || none == (action == plan.Update) {
				t.Errorf("it is to %s: %s\nwant %s", action, text, want)
			}
		})
	}
}

// If the manifest still has fields of another kind of store, the plan adds a note, and the agent does not read that
// store.
func TestALeftoverOfAnotherStoreIsNotRead(t *testing.T) {
	s := newShelf(t)
	name := s.put(1, nil)
	left := strings.Replace(restore, "backupStorageType: Swift", "backupStorageType: S3, swift: {container: elsewhere}", 1)
	if action, text := said(s.Plan(shelves + left)); action != plan.Update || !strings.Contains(text, "spec.etcdCluster.name: ") || !strings.Contains(text, " backups/"+name) {
		t.Errorf("it is to %s: %s\nwant %s", action, text, name)
	}
}

// The agent never restores a snapshot if the cluster has begun already. Only the tags of the cluster's own ports
// determine that.
func TestAttackOverACluster(t *testing.T) {
	done, other := etcdstore.RestoredTag(checksum.Short("backup hourly")), etcdstore.RestoredTag(checksum.Short("backup daily"))
	for name, c := range map[string]struct {
		tags map[string][]string // by the names of ports
		want string              // the field that the plan changes; a state if it only says something; "" if it must say nothing
	}{
		"no member that there was":         {map[string][]string{"kv-0": nil}, "spec.etcdCluster.name"},
		"a member":                         {map[string][]string{"kv-0": {etcdstore.BegunTag}}, "refused"},
		"a removed member":                 {map[string][]string{"kv-0": nil, "kv-15": {etcdstore.BegunTag}}, "refused"},
		"another cluster's":                {map[string][]string{"kv-0": nil, "kv2-0": {etcdstore.BegunTag}, "kv-x": {etcdstore.BegunTag}}, "spec.etcdCluster.name"},
		"carried out":                      {map[string][]string{"kv-0": {etcdstore.BegunTag, done}}, ""},
		"being carried out":                {map[string][]string{"kv-0": {done}}, ""},
		"carried out, with another member": {map[string][]string{"kv-0": {etcdstore.BegunTag, done}, "kv-1": {etcdstore.BegunTag}}, "record"},
		"another one was carried out":      {map[string][]string{"kv-0": {etcdstore.BegunTag, other}}, "changed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			var names []string
			for name := range c.tags {
				names = append(names, name)
			}
			s.MustSync(ports(names...))
			s.put(1, nil) // a snapshot of a backup whose manifest is removed
			for name, tags := range c.tags {
				for _, tag := range tags {
					if err := member.Record(tag).Put(t.Context(), s.client, s.port(name)); err != nil {
						t.Fatal(err)
					}
				}
			}
			p := s.Plan(shelves + restore)
			action, text := said(p)
			if got := strings.TrimSpace(changed(p)); action == plan.Update && got != c.want || action != plan.Update && (got != "" || outcome(p) != c.want) || (c.want == "") != (text == "") {
				t.Errorf("it is to %s %s: %s\nwant %s", action, got, text, c.want)
			}
		})
	}
}

// outcome returns the state of the restore in one word: its Down, or "changed" if a note says that its manifest was changed too late.
func outcome(p plan.Plan) string {
	for _, step := range p.Steps {
		switch {
		case step.Key.Kind != "EtcdRestore":
		case step.Have != nil && step.Have.Down != "":
			return step.Have.Down
		case slices.ContainsFunc(step.Notes, func(n kind.Note) bool { return n.Field == "spec" }):
			return "changed"
		}
	}
	return ""
}

func (s *shelf) port(name string) string {
	s.t.Helper()
	var found struct{ Ports []struct{ ID string } }
	if err := s.client.Do(s.t.Context(), cloud.Call{Service: cloud.Network, Path: "ports?name=" + name, Into: &found}); err != nil || len(found.Ports) != 1 {
		s.t.Fatalf("ports %s: %v, %v", name, found, err)
	}
	return found.Ports[0].ID
}

// Planning writes nothing, and two plans are equal. Without the manifest, the plan is empty.
func TestLawsOfAPlan(t *testing.T) {
	s := newShelf(t)
	s.put(1, nil)
	var count kindtest.Counter
	through := s.Through(count.Wrap)
	_, first := said(through.Plan(shelves + restore))
	if _, second := said(through.Plan(shelves + restore)); first == "" || first != second || count.Writes.Load() > 0 {
		t.Errorf("%s, and then %s; %d requests have written", first, second, count.Writes.Load())
	}
	if action, text := said(through.Plan(shelves)); text != "" || action != "" {
		t.Errorf("without the manifest it is to %s: %s", action, text)
	}
}

// Nothing is restored while the tags of ports or the containers cannot be read.
func TestAttackNothingIsKnown(t *testing.T) {
	for name, silent := range map[string]func(req *http.Request) bool{
		"tags of ports": func(req *http.Request) bool {
			return strings.HasSuffix(req.URL.Path, "/ports") && req.URL.Query().Has("fields")
		},
		"a container": func(req *http.Request) bool {
			return strings.HasSuffix(req.URL.Path, "/backups") && req.Method == http.MethodGet
		},
		"a snapshot": func(req *http.Request) bool { return strings.HasSuffix(req.URL.Path, ".db") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			s.put(1, nil)
			p := s.Through(func(next http.RoundTripper) http.RoundTripper { return refuser{silent, next} }).Plan(shelves + restore)
			if action, text := said(p); action.Writes() || begins(p) {
				t.Errorf("it is to %s: %s", action, text)
			}
		})
	}
}

// refuser is a transport that answers some requests with "forbidden".
type refuser struct {
	these func(*http.Request) bool
	next  http.RoundTripper
}

func (r refuser) RoundTrip(req *http.Request) (*http.Response, error) {
	if !r.these(req) {
		return r.next.RoundTrip(req)
	}
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
}
