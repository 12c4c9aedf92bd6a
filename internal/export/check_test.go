package export

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// box is a kind whose manifests hold at most five letters in a field, and of whose last field the cloud says something else.
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

func (boxRules) Name(w kind.Want[*box]) string          { return w.Key.Name }
func (boxRules) Validate(*box, *kind.Report)            {}
func (boxRules) Match(kind.Want[*boxFilter], *box) bool { return true }
func (boxRules) Status(*box) any                        { return nil }
func (boxRules) Export(have *box, _ *kind.Export) *box  { out := *have; return &out }
func (boxRules) Diff(w kind.Want[*box], have *box, c *kind.Changes) {
	kind.Field(c, "spec.resource.last", "not "+have.Last, w.Spec.Last)
}

type noDriver struct{}

func (noDriver) List(context.Context) ([]kind.Live[*box], error) { return nil, nil }
func (noDriver) Create(context.Context, kind.Want[*box]) (kind.Live[*box], error) {
	return kind.Live[*box]{}, nil
}
func (noDriver) Update(context.Context, kind.Want[*box], kind.Live[*box], []kind.Change) error {
	return nil
}
func (noDriver) Delete(context.Context, kind.Live[*box]) (bool, error) { return true, nil }
func (noDriver) Unmark(context.Context, kind.Live[*box]) error         { return nil }

func boxKind() kind.Kind {
	return kind.Define[box, boxFilter, box](kind.Info{Group: "test.example", Version: "v1", Kind: "Box", Doc: "A box."}, boxRules{}, noDriver{})
}

// boxes exports boxes.
func boxes(t *testing.T, live ...kind.Live[any]) map[string]string {
	t.Helper()
	r, err := Make(t.Context(), Input{Kinds: []kind.Kind{boxKind()}, Have: kind.Snapshot{"Box": {Items: live}}, Only: []string{"Box"}})
	if err != nil {
		t.Fatalf("%.500s", err)
	}
	found := map[string]string{}
	for _, o := range r.Objects {
		found[o.Key.Name] = string(o.Text)
	}
	return found
}

func boxOf(name string, is box) kind.Live[any] {
	return kind.Live[any]{ID: "id-" + name, Name: name, Mine: true, Phase: kind.Ready, State: &is}
}

// However much of one object is refused, all are planned before they are written.
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

// So it is where so much is refused that not all of it is listed at once.
func TestAttackExportOfManyRefusedObjects(t *testing.T) {
	var live []kind.Live[any]
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

// No stack reads a file that is called kustomization.yaml.
func TestAnObjectOfAnyNameIsChecked(t *testing.T) {
	if text := boxes(t, boxOf("kustomization", box{Last: "x"}))["kustomization"]; !strings.Contains(text, "ignore-fields: spec.resource.last\n") {
		t.Errorf("it is not planned: %s", text)
	}
}

// Nor is there a number of objects that cannot be read again.
func TestMoreThanAStackMayHoldIsChecked(t *testing.T) {
	live := make([]kind.Live[any], 60_000)
	for i := range live {
		live[i].ID = fmt.Sprint(i)
	}
	b := newExporter(Input{Kinds: []kind.Kind{boxKind()}, Have: kind.Snapshot{"Box": {Items: live}}}).bounds()
	if n := len(live); b.Objects <= n || b.Files <= n || b.Documents <= n || b.Values < 20*n || b.Bytes < 4096*int64(n) {
		t.Errorf("%+v", b)
	}
}
