package decide

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// TestAttackOneForAll measures plans that delete or replace one object together with the thousands of objects that use it.
func TestAttackOneForAll(t *testing.T) {
	const n = 2000
	w := thingtest.New()
	kinds := []*kind.Kind{w.Kind()}
	files := thingtest.Files(1, func(int) []int { return nil })
	w.Things["hub"] = &thingtest.Thing{ID: "hub", Name: "t00000", Mine: true, Mark: &kind.Mark{Owner: ownertext.Of("s", manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: "t00000"}), Applied: "x"}, Failed: true}
	var text strings.Builder
	for i := range n {
		name := fmt.Sprintf("u%05d", i)
		fmt.Fprintf(&text, "---\napiVersion: test/v1\nkind: Thing\nmetadata: {name: %s}\nspec: {resource: {atop: [t00000]}}\n", name)
		w.Things[name] = &thingtest.Thing{ID: name, Name: name, Mine: true, On: []string{"hub"}, Mark: &kind.Mark{Owner: ownertext.Of("s", manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: name}), Applied: "x"}}
	}
	files["users.yaml"] = &fstest.MapFile{Data: []byte(text.String())}
	want, _, err := resolve.Read(files, kinds)
	if err != nil {
		t.Fatal(err)
	}
	in := world.Input{Stack: "s", Kinds: kinds, Have: w.Snapshot(), Rules: world.Rules{Replace: true}}
	for _, c := range []struct {
		name string
		want []kind.Desired
		did  func(plan.Summary) int
	}{
		{"deleted", nil, func(s plan.Summary) int { return s.Delete }},
		{"replaced", want, func(s plan.Summary) int { return s.Replace }},
	} {
		in.Want = c.want
		var plan plan.Plan
		most := int64(30 << 20)
		if testcost.UnderRace {
			most = 120 << 20
		}
		if took := testcost.Allocated(func() { plan = Compute(in) }); took > most {
			t.Errorf("%s: %d MiB", c.name, took>>20)
		}
		if did := c.did(plan.Summary()); did != n+1 {
			t.Errorf("%d objects are %s: %s", did, c.name, plan.Summary())
		}
	}
}

// TestAttackSuggestions checks that a plan compares missing names only with a limited number of names of the cloud.
func TestAttackSuggestions(t *testing.T) {
	testcost.Long(t)
	w := thingtest.New()
	var text strings.Builder
	for i := range 1000 {
		name := fmt.Sprintf("%s%04d", strings.Repeat("n", 200), i)
		w.Things[name] = &thingtest.Thing{ID: name, Name: name}
		fmt.Fprintf(&text, "---\napiVersion: test/v1\nkind: Thing\nmetadata: {name: t%d}\nspec: {managementPolicy: unmanaged, import: {filter: {name: %sx}}}\n", i, name)
	}
	want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(text.String())}}, []*kind.Kind{w.Kind()})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlanner(world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Have: w.Snapshot(), Want: want})
	suggested := 0
	for i := range want {
		if p.decide(&want[i]).Causes.Has(cause.NearestNames) {
			suggested++
		}
	}
	if suggested != maxCompared/1000 {
		t.Errorf("%d suggestions", suggested)
	}
}

// Two names whose digests are equal cannot share one object.
func TestAttackNamesWithOneMark(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("a colour=red", "b colour=red")
	if err != nil {
		t.Fatal(err)
	}
	// A real collision of digests takes 2³⁰ tries. The test only simulates one in ByOwner.
	p := newPlanner(world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Want: want, Have: w.Snapshot(), Rules: world.Rules{Replace: true}})
	p.ByOwner[ownertext.Of("s", want[1].Key)] = &want[0]
	if s := p.decide(&want[1]); s.Action != plan.Refuse || !s.Error || !strings.Contains(s.FullCause(), "Thing/a") {
		t.Errorf("%s: %s", s.Action, s.FullCause())
	}
}

// TestAttackMarksThatKeep checks that forged marks with "keep", or copies of another mark, do not raise the number of owned objects
// that limits use.
func TestAttackMarksThatKeep(t *testing.T) {
	w := thingtest.New()
	kinds := []*kind.Kind{w.Kind()}
	thing := func(id, name string, keep bool) {
		owner := ownertext.Of("s", manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: name})
		w.Things[id] = &thingtest.Thing{ID: id, Name: id, Mine: true, Mark: &kind.Mark{Owner: owner, Applied: "x", Keep: keep}}
	}
	for i := range 4 {
		thing(fmt.Sprint("own", i), fmt.Sprint("own", i), false)
	}
	for i := range 100 {
		thing(fmt.Sprint("kept", i), fmt.Sprint("kept", i), true)
		thing(fmt.Sprint("copy", i), "repeated", true)
		thing(fmt.Sprint("wanted", i), "t00000", i%2 == 0)
	}
	want, _, err := resolve.Read(thingtest.Files(1, func(int) []int { return nil }), kinds)
	if err != nil {
		t.Fatal(err)
	}
	p := Compute(world.Input{Stack: "s", Kinds: kinds, Want: want, Have: w.Snapshot()})
	if p.Owned != 5 || p.OwnedKinds["Thing"] != 5 {
		t.Errorf("the stack owns %d objects, %v; want the four and the one that is wanted", p.Owned, p.OwnedKinds)
	}
	if p.Summary().Delete != 4 {
		t.Errorf("deletes %d, want 4", p.Summary().Delete)
	}
	half, err := guard.ParseLimit("50%")
	if err != nil {
		t.Fatal(err)
	}
	if held := p.Apply(guard.Brake(guard.Limits{All: half}, nil)); held.Held == nil {
		t.Error("4 of 5 objects are deleted, at 50%")
	}
}
