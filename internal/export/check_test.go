package export

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// box is a kind with fields of at most five letters. For its last field, the value in the cloud differs from
// that in the manifest.
type box struct {
	A    string `json:"a,omitempty" rule:"max=5"`
	B    string `json:"b,omitempty" rule:"max=5"`
	C    string `json:"c,omitempty" rule:"max=5"`
	D    string `json:"d,omitempty" rule:"max=5"`
	E    string `json:"e,omitempty" rule:"max=5"`
	F    string `json:"f,omitempty" rule:"max=5"`
	G    string `json:"g,omitempty" rule:"max=5"`
	Last string `json:"last,omitempty"`
}

type boxFilter struct {
	Name string `json:"name,omitempty"`
}

type boxRules struct{}

func (boxRules) Export(have *box, _ *kind.Export) *box { out := *have; return &out }
func (boxRules) Diff(w typed.Want[box], have *box, c *kind.Changes) {
	kind.Field(c, "spec.resource.last", "not "+have.Last, w.Spec.Last)
}

// none returns an empty list of objects of a kind.
func none[T any](context.Context, kind.Listing) ([]typed.Live[T], error) { return nil, nil }

func boxKind() *kind.Kind {
	return typed.Kind[box, boxFilter, box]{Info: kind.Info{Group: "test.example", Version: "v1", Kind: "Box", Doc: "A box."},
		Export: boxRules{}.Export, Diff: boxRules{}.Diff, List: none[box]}.Resource()
}

// boxes exports boxes and returns their manifests by name.
func boxes(t *testing.T, live ...*kind.Live) map[string]string {
	t.Helper()
	r, err := Make(t.Context(), Input{Kinds: []*kind.Kind{boxKind()}, Have: kind.Snapshot{"Box": {Items: live}}, Only: []string{"Box"}})
	if err != nil {
		t.Fatalf("%.500s", err)
	}
	found := map[string]string{}
	for _, o := range r.Objects {
		found[o.Key.Name] = string(o.Text)
	}
	return found
}

func boxOf(name string, is box) *kind.Live {
	return &kind.Live{ID: "id-" + name, Name: name, InOwnProject: true, Phase: kind.Ready, State: &is}
}

// TestAllThatIsRefusedIsCorrected uses objects with many refused fields. All of them are corrected and planned
// before they are written.
func TestAllThatIsRefusedIsCorrected(t *testing.T) {
	const long = "longer"
	got := boxes(t, boxOf("clean", box{A: "a", Last: "x"}), boxOf("odd", box{long, long, long, long, long, long, long, "x"}))
	if !strings.Contains(got["clean"], "ignore-fields: spec.resource.last\n") {
		t.Errorf("what would be changed is not ignored: %s", got["clean"])
	}
	if want := "ignore-fields: spec.resource.a,spec.resource.b,spec.resource.c,spec.resource.d,spec.resource.e,spec.resource.f,spec.resource.g,spec.resource.last\n"; !strings.Contains(got["odd"], want) || strings.Contains(got["odd"], long) {
		t.Errorf("want %s: %s", want, got["odd"])
	}
}

// TestAttackExportOfManyRefusedObjects uses so many refused objects that one check does not list all problems.
func TestAttackExportOfManyRefusedObjects(t *testing.T) {
	testcost.Long(t)
	var live []*kind.Live
	for i := range 2 * 1001 {
		live = append(live, boxOf(fmt.Sprintf("n%04d", i), box{A: "longer"}))
	}
	got := boxes(t, live...)
	if len(got) != len(live) {
		t.Errorf("%d of %d are written", len(got), len(live))
	}
	for name, text := range got {
		if !strings.Contains(text, "ignore-fields: spec.resource.a,spec.resource.last\n") {
			t.Fatalf("%s: %s", name, text)
		}
	}
}

// TestAnObjectOfAnyNameIsChecked uses an object with the name kustomization. A stack does not read kustomization.yaml as a
// manifest, so the file of the object gets another name, and the object is checked like any other.
func TestAnObjectOfAnyNameIsChecked(t *testing.T) {
	if text := boxes(t, boxOf("kustomization", box{Last: "x"}))["kustomization"]; !strings.Contains(text, "ignore-fields: spec.resource.last\n") {
		t.Errorf("it is not planned: %s", text)
	}
}

// TestMoreThanAStackMayHoldIsChecked uses more objects than a stack may have. They can still be read and
// checked.
func TestMoreThanAStackMayHoldIsChecked(t *testing.T) {
	live := make([]*kind.Live, 60_000)
	for i := range live {
		live[i] = &kind.Live{ID: fmt.Sprint(i)}
	}
	b := newExporter(Input{Kinds: []*kind.Kind{boxKind()}, Have: kind.Snapshot{"Box": {Items: live}}}).bounds()
	if n := len(live); b.Objects <= n || b.Files <= n || b.Documents <= n || b.Values < 20*n || b.Bytes < 4096*int64(n) {
		t.Errorf("%+v", b)
	}
}

// rack is a kind with lists inside lists.
type rack struct {
	Words   []string `json:"words,omitempty" rule:"pattern=^[a-z]+$"`
	Shelves []shelf  `json:"shelves,omitempty"`
}

type shelf struct {
	Doors []door `json:"doors,omitempty"`
}

type door struct {
	Name string `json:"name,omitempty" rule:"max=5"`
}

type rackRules struct{}

func (rackRules) Export(have *rack, _ *kind.Export) *rack { out := *have; return &out }
func (rackRules) Diff(w typed.Want[rack], have *rack, c *kind.Changes) {
	kind.Set(c, "spec.resource.words", have.Words, w.Spec.Words, kind.InPlace)
}

// TestRefusedItemsAreLeftOut uses items that no manifest can contain. Each is removed from the innermost list,
// and the list itself is written.
func TestRefusedItemsAreLeftOut(t *testing.T) {
	k := typed.Kind[rack, boxFilter, rack]{Info: kind.Info{Group: "test.example", Version: "v1", Kind: "Rack", Doc: "A rack."},
		Export: rackRules{}.Export, Diff: rackRules{}.Diff, List: none[rack]}.Resource()
	have := rack{Words: []string{"X1", "good", "X2", "fine"}, Shelves: []shelf{{[]door{{"a"}, {"longer"}}}, {[]door{{"b"}}}}}
	r, err := Make(t.Context(), Input{Kinds: []*kind.Kind{k}, Only: []string{"Rack"},
		Have: kind.Snapshot{"Rack": {Items: []*kind.Live{{ID: "1", Name: "r", InOwnProject: true, Phase: kind.Ready, State: &have}}}}})
	if err != nil {
		t.Fatal(err)
	}
	text := string(r.Objects[0].Text)
	if want := "words:\n    - good\n    - fine\n    shelves:\n    - doors:\n      - name: a\n    - doors:\n      - name: b\n"; !strings.Contains(text, want) {
		t.Errorf("%s\nwant %s", text, want)
	}
	var named int
	for _, n := range r.Notes {
		for _, value := range []string{"X1", "X2", "longer"} {
			if strings.Contains(n.Text, value) && (n.Field == "spec.resource.words" || n.Field == "spec.resource.shelves[0].doors") {
				named++
			}
		}
	}
	if named < 3 {
		t.Errorf("the notes do not say which: %v", r.Notes)
	}
}

// crate is a kind with a list of objects of the cloud, which have IDs.
type crate struct {
	Lids []lid `json:"lids,omitempty" rule:"objects"`
}

type lid struct {
	ID   string `json:"-"`
	Name string `json:"name,omitempty" rule:"max=5"`
}

type crateRules struct{}

const lids = "spec.resource.lids"

func (crateRules) Export(have *crate, e *kind.Export) *crate {
	out := &crate{}
	for _, l := range have.Lids {
		if l.Name == "" {
			e.LeaveToCloud(lids, l.ID, "it has no name")
		} else if e.Element(lids, l.ID) {
			out.Lids = append(out.Lids, l)
		}
	}
	return out
}
func (crateRules) Diff(w typed.Want[crate], have *crate, c *kind.Changes) {
	var want, there []string
	for _, l := range w.Spec.Lids {
		want = append(want, l.Name)
	}
	for _, l := range have.Lids {
		if !w.IgnoresElement(lids, l.ID) {
			there = append(there, l.Name)
		}
	}
	kind.Set(c, lids, there, want, kind.InPlace)
	for i := range w.Spec.Lids {
		if want[i] == "odd" && want[i] == there[i] {
			kind.Field(c, fmt.Sprintf("%s[%d].colour", lids, i), "red", "")
		}
	}
}

func crates() *kind.Kind {
	return typed.Kind[crate, boxFilter, crate]{Info: kind.Info{Group: "test.example", Version: "v1", Kind: "Crate", Doc: "A crate."},
		Export: crateRules{}.Export, Diff: crateRules{}.Diff, List: none[crate]}.Resource()
}

func crated(t *testing.T, have crate) Result {
	t.Helper()
	k := crates()
	r, err := Make(t.Context(), Input{Kinds: []*kind.Kind{k}, Only: []string{"Crate"},
		Have: kind.Snapshot{"Crate": {Items: []*kind.Live{{ID: "1", Name: "c", InOwnProject: true, Phase: kind.Ready, State: &have}}}}})
	if err != nil || len(r.Objects) != 1 {
		t.Fatal(r.Objects, err)
	}
	return r
}

// TestElementsAreLeftToTheCloudByTheirIDs uses list elements with IDs: one is refused, the kind cannot describe
// another, and a third has an attribute without a field. Each is ignored by its ID, and its list is written.
func TestElementsAreLeftToTheCloudByTheirIDs(t *testing.T) {
	r := crated(t, crate{[]lid{{"a", "longer"}, {"b", "fine"}, {"c", ""}, {"d", "odd"}, {"e", "good"}}})
	text := string(r.Objects[0].Text)
	if want := "ignore-fields: spec.resource.lids[a],spec.resource.lids[c],spec.resource.lids[d]\n"; !strings.Contains(text, want) {
		t.Errorf("%s\nwant %s", text, want)
	}
	if want := "lids:\n    - name: fine\n    - name: good\n"; !strings.Contains(text, want) {
		t.Errorf("%s\nwant %s", text, want)
	}
	for _, id := range []string{"a", "c", "d"} {
		if !slices.ContainsFunc(r.Notes, func(n Note) bool { return n.Field == kind.ElementPath(lids, id) }) {
			t.Errorf("nothing is said of %s: %v", id, r.Notes)
		}
	}
}

// TestAttackMoreElementsThanAnAnnotationNames uses more ignored elements than an annotation may contain. Then
// the whole list is ignored.
func TestAttackMoreElementsThanAnAnnotationNames(t *testing.T) {
	var have crate
	for i := range resolve.MaxIgnored + 1 {
		have.Lids = append(have.Lids, lid{ID: fmt.Sprint("id", i)})
	}
	if text := string(crated(t, have).Objects[0].Text); !strings.Contains(text, "ignore-fields: spec.resource.lids\n") {
		t.Error(text)
	}
}

// TestAttackMoreElementsWithinElementsThanAnAnnotationNames uses elements of lists inside a list. Then the outer
// list is ignored.
func TestAttackMoreElementsWithinElementsThanAnAnnotationNames(t *testing.T) {
	one := item{kind: crates(), ignore: []string{"spec.resource.label"}}
	for n := range resolve.MaxIgnored {
		one.without = append(one.without, fmt.Sprintf("spec.resource.lids.hinges[id-%d]", n))
	}
	if got := one.ignored(); !slices.Equal(got, []string{"spec.resource.label", "spec.resource.lids"}) {
		t.Errorf("%q", got)
	}
}
