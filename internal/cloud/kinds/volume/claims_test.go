package volume_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// disk is a volume in the form in which the test reads and creates it.
type disk struct {
	ID          string            `json:"id,omitempty"`
	Name        string            `json:"name"`
	Size        int               `json:"size"`
	Status      string            `json:"status,omitempty"`
	Description string            `json:"description,omitempty"`
	Source      string            `json:"source_volid,omitempty"`
	Metadata    map[string]string `json:"metadata"`
}

// disks reads the volumes that have a mark of the target's stack, because other
// tests use the same cloud at the same time.
type disks struct {
	t     *testing.T
	c     *cloud.Client
	stack string
	pause time.Duration // time between two lists
}

func disksOf(t *testing.T, g *kindtest.Target) disks {
	return disks{t, g.Client(nil), g.Stack, g.Interval()}
}

func (d disks) list() map[string]disk {
	d.t.Helper()
	list, err := cloud.List[disk](context.WithoutCancel(d.t.Context()), d.c, cloud.Call{Service: cloud.BlockStorage, Path: "volumes/detail"}, "volumes")
	if err != nil {
		d.t.Fatal(err)
	}
	out := map[string]disk{}
	for _, v := range list {
		if strings.Contains(v.Metadata[mark.OwnerKey]+" "+v.Description, ":"+d.stack+":") {
			out[v.ID] = v
		}
	}
	return out
}

func (d disks) make(v disk) string {
	d.t.Helper()
	var answer struct {
		Volume disk `json:"volume"`
	}
	if err := d.c.Do(d.t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "volumes", Body: map[string]any{"volume": v}, Into: &answer}); err != nil {
		d.t.Fatal(err)
	}
	id := answer.Volume.ID
	d.t.Cleanup(func() { d.remove(id) })
	kindtest.AwaitStatus(d.t, d.c, cloud.BlockStorage, "volumes/"+id, "available")
	return id
}

// remove deletes a volume, if it exists, and waits until Cinder has deleted it.
func (d disks) remove(id string) {
	d.t.Helper()
	if _, ok := d.list()[id]; !ok {
		return
	}
	kindtest.AwaitGone(d.t, d.c, cloud.BlockStorage, "volumes/"+id)
}

// pairs are the manifests of two volumes.
func pairs(annotations string) string {
	var docs []string
	for _, name := range []string{"one", "two"} {
		docs = append(docs, "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Volume\nmetadata: {name: "+name+", annotations: {"+annotations+"}}\nspec: {resource: {size: 1}}")
	}
	return strings.Join(docs, "\n---\n")
}

// same requires that every volume is unchanged.
func same(t *testing.T, before, after map[string]disk) {
	t.Helper()
	for id, was := range before {
		if now, ok := after[id]; !ok || now.Name != was.Name || now.Size != was.Size || now.Metadata[mark.AppliedKey] != was.Metadata[mark.AppliedKey] {
			t.Errorf("volume %s (%s) was %v and is %v", id, was.Name, was, now)
		}
	}
}

// If people create volumes with the properties of the stack's volumes, the copies
// are not surplus: none of them is deleted, whatever the stack's configuration is.
// Because nothing changes them, all configurations are tested with the same
// volumes.
func TestAttackCopiedProperties(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	limit, err := guard.ParseLimit("0")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]copied{
		"nothing said":            {},
		"prune: false":            {policies: []plan.Policy{guard.NoPrune}},
		"prune: false, annotated": {annotations: `stackreeve.dev/prune: "false"`},
		"detach":                  {annotations: `stackreeve.dev/on-delete: detach`},
		"suspend":                 {annotations: `stackreeve.dev/suspend: "true"`},
		"drift: report":           {policies: []plan.Policy{guard.ReportDrift(true)}},
		"maxDeletes 0":            {limits: &guard.Limits{All: limit}},
		"manifests gone":          {gone: true},
		"manifests gone, 0":       {gone: true, limits: &guard.Limits{All: limit}},
	}
	for _, stripped := range []bool{false, true} {
		g := kindtest.NewTarget(t, all.Kinds)
		g.Only(pairs(""))
		g.MustSync(pairs(""))
		d := disksOf(t, g)
		for _, v := range d.list() {
			if v.ID, v.Status = "", ""; stripped {
				v.Metadata = map[string]string{mark.OwnerKey: v.Metadata[mark.OwnerKey], mark.AppliedKey: ""}
			}
			d.make(v)
			d.make(v)
		}
		for name, tt := range tests {
			t.Run(fmt.Sprintf("%s, stripped: %t", name, stripped), func(t *testing.T) {
				mine := d
				mine.t = t
				tt.judge(t, g.In(t), mine)
			})
		}
		for id := range d.list() {
			d.remove(id)
		}
	}
}

// copied is the configuration of a stack of whose volumes people made copies.
type copied struct {
	annotations string
	policies    []plan.Policy
	limits      *guard.Limits
	gone        bool // the manifests are removed
}

// judge requires that two passes change nothing, and report the copies.
func (c copied) judge(t *testing.T, g *kindtest.Target, d disks) {
	text, before := pairs(c.annotations), d.list()
	if c.gone {
		text = ""
	}
	for range 2 {
		e := g.Engine(g.Client(nil))
		e.Policies = c.policies
		if c.limits != nil {
			e.Limits = *c.limits
		}
		pass := e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(text)})
		if len(pass.Results) > 0 {
			t.Errorf("%d steps were carried out", len(pass.Results))
		}
		if !slices.ContainsFunc(pass.Last.Steps, func(s plan.Step) bool {
			return s.Causes.Has(cause.Several) && strings.Contains(s.FullCause(), "openstack volume unset --property stackreeve")
		}) {
			t.Errorf("people do not see it: %v", pass.Last.Steps)
		}
	}
	same(t, before, d.list())
}

const restored = "src_backup_id"

// If somebody restores a volume from a backup, the new volume has the mark of the
// original. It stays, whether the original exists or not, and also if the manifest
// is removed. If a manifest adopts the new volume, it becomes the manifest's
// object.
func TestAttackRestoredBackup(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	text := pairs("")
	g.Only(text)
	g.MustSync(text)
	d := disksOf(t, g)
	var original, twin disk
	for _, v := range d.list() {
		if v.Name == "one" {
			original = v
		}
	}
	twin = disk{Name: "one", Size: 1, Metadata: map[string]string{restored: "b1"}}
	for k, v := range original.Metadata {
		twin.Metadata[k] = v
	}
	twin.ID = d.make(twin)
	reported := func(pass engine.Pass, where string) {
		t.Helper()
		if len(pass.Results) > 0 {
			t.Errorf("%s: %d steps were carried out", where, len(pass.Results))
		}
		if !slices.ContainsFunc(pass.Last.Steps, func(s plan.Step) bool {
			return s.Action == plan.Refuse && s.Causes.Has(cause.Copied) && strings.Contains(s.FullCause(), twin.ID) && strings.Contains(s.FullCause(), "b1")
		}) {
			t.Errorf("%s: people do not see it: %v", where, pass.Last.Steps)
		}
	}
	reported(g.Sync(text), "beside the original")
	d.remove(original.ID)
	reported(g.Sync(text), "without the original")
	if _, ok := d.list()[twin.ID]; !ok || len(d.list()) != 2 {
		t.Fatalf("volumes are %v", d.list())
	}
	_, two, _ := strings.Cut(text, "\n---\n")
	reported(g.Sync(two), "without its manifest")
	adopted := strings.Replace(text, "resource: {size: 1}", "import: {id: "+twin.ID+"}, resource: {size: 1}", 1)
	g.MustSync(adopted)
	if pass := g.MustSync(text); len(pass.Results) > 0 || pass.Last.Owned != 2 {
		t.Errorf("adopted and then no longer named by ID: %d steps, %d owned", len(pass.Results), pass.Last.Owned)
	}
	// A copy of the adopted volume is recognized, because its metadata contain the ID
	// of the adopted volume.
	clone := d.list()[twin.ID]
	clone.ID, clone.Status = "", ""
	id := d.make(clone)
	if pass := g.Sync(text); len(pass.Results) > 0 || !slices.ContainsFunc(pass.Last.Steps, func(s plan.Step) bool {
		return s.ID() == id && s.Causes.Has(cause.Copied) && strings.Contains(s.FullCause(), twin.ID)
	}) {
		t.Errorf("the copy of the adopted one: %v", pass.Last.Steps)
	}
	d.remove(id)
}

// If somebody clones a volume with its mark, as Cinder does to make images, the
// clone stays, too.
func TestAttackClonedVolume(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(pairs(""))
	g.MustSync(pairs(""))
	d := disksOf(t, g)
	var id string
	for _, v := range d.list() {
		if v.Name == "one" {
			v.Source, v.ID, v.Status = v.ID, "", ""
			id = d.make(v)
		}
	}
	before := d.list()
	for _, text := range []string{pairs(""), ""} {
		e := g.Engine(g.Client(nil))
		e.Limits = guard.Limits{}
		e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(text)})
	}
	same(t, before, d.list())
	d.remove(id)
}
