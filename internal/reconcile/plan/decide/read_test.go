package decide

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

func planOf(t *testing.T, repo, cloud []string) plan.Plan {
	t.Helper()
	w, want := thingtest.Filled(t, repo, cloud)
	return Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Want: want, Have: w.Snapshot(), Rules: world.Rules{Replace: true}})
}

func stepOf(t *testing.T, p plan.Plan, name string) plan.Step {
	t.Helper()
	i := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Key.Name == name })
	if i < 0 {
		t.Fatalf("no step of %s", name)
	}
	return p.Steps[i]
}

// Names has the IDs in fields with references. It has no name for a value that only looks like an
// ID.
func TestNamesOfIDs(t *testing.T) {
	p := planOf(t, []string{"a", "b", "user near=b colour=red"}, []string{"a ours", "b ours", "foreign nobody", "user stale near=id-001 colour=id-001", "other stale near=id-003"})
	s := stepOf(t, p, "user")
	if !kind.Has(s.Changes, "spec.resource.near") || !kind.Has(s.Changes, "spec.resource.colour") {
		t.Fatal(s.Changes)
	}
	if want := map[string]string{"id-001": "Thing/a", "id-002": "Thing/b"}; !reflect.DeepEqual(s.Names, want) {
		t.Errorf("got %v, want %v", s.Names, want)
	}
	p = planOf(t, []string{"a", "user near=a"}, []string{"a ours", "x/Thing,a nobody", "user stale near=id-002"})
	if got := stepOf(t, p, "user").Names["id-002"]; got != `Thing "x/Thing,a"` {
		t.Errorf("a foreign object is called %s", got)
	}
}

func TestAdoptionIsCalledSo(t *testing.T) {
	p := planOf(t, []string{"a adopt=id-001 colour=red", "b colour=red"}, []string{"a nobody colour=blue", "b stale colour=blue"})
	if a, b := stepOf(t, p, "a"), stepOf(t, p, "b"); !a.Adopts || b.Adopts || a.Action != plan.Update || p.Summary().Adopt != 1 {
		t.Errorf("%v %v %s", a.Adopts, b.Adopts, p.Summary())
	}
	p = planOf(t, []string{"a adopt=id-001"}, []string{"a ours"})
	if stepOf(t, p, "a").Adopts {
		t.Error("what was adopted is adopted again")
	}
}

// Details that only people read do not change the hash.
func TestHashKnowsNoPresentation(t *testing.T) {
	p := planOf(t, []string{"a adopt=id-001 colour=red", "b colour=red", "c colour=green"}, []string{"a nobody colour=blue", "b stale colour=blue", "d stale"})
	shown := p.MapSteps(func(s plan.Step) plan.Step {
		s.Adopts, s.Within, s.Turn, s.Ignored = !s.Adopts, thingtest.Key("x"), cause.Of(cause.Seen, "x"), []kind.Change{{Field: "x"}}
		s.Names = map[string]string{"id-001": "Thing/x"}
		return s
	})
	if p.Hash() != shown.Hash() || p.Summary().Writes() < 3 {
		t.Errorf("%s, %s: %s", p.Hash(), shown.Hash(), p.Summary())
	}
}

// The sum of the counts of all actions is the number of steps.
func TestEveryStepIsCountedOnce(t *testing.T) {
	p := planOf(t, []string{"a adopt=id-001 colour=red", "b colour=red", "c", "i import=nothing", "u import=b", "g adopt=gone"}, []string{"a nobody colour=blue", "b ours colour=blue", "d stale"})
	s := p.Summary()
	if n := s.Create + s.Update + s.Replace + s.Delete + s.Wait + s.Refuse + s.Keep; n != len(p.Steps) {
		t.Errorf("%d of %d: %+v", n, len(p.Steps), s)
	}
	if s.Stuck != 2+boolInt(stepOf(t, p, "u").Stuck()) || s.Adopt != 1 || s.Drifted != 1 || s.Unchanged != 0 {
		t.Errorf("%+v", s)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Within of an object without a manifest is the group that it belonged to, and no other group.
func TestOrphansAreWithinTheirGroup(t *testing.T) {
	group := manifest.Key{Group: "g", Kind: "Group", Namespace: "default", Name: "web"}
	member := manifest.Key{Group: "g", Kind: "Thing", Namespace: "default", Name: "web-0"}
	thing := func(name string) manifest.Key {
		return manifest.Key{Group: "g", Kind: "Thing", Namespace: "default", Name: name}
	}
	p := newPlanner(world.Input{Stack: "s", Kinds: []*kind.Kind{{Info: kind.Info{Group: "g", Kind: "Group"}, Group: kind.Group{Members: "Thing"}}, thingtest.New().Kind()},
		Want: []kind.Desired{{Key: group, Virtual: true}, {Key: member, Parent: group}, {Key: thing("web-0-root"), Parent: member}}})
	for name, within := range map[string]bool{"web-1": true, "web-12": true, "web-1-root": true, "web-1-other": false, "web": false, "web-x": false, "web-": false, "webs-1": false, "other-1": false} {
		p.steps = []plan.Step{{Key: thing(name), Action: plan.Delete}}
		p.findFormerMembers()
		if got := p.steps[0].Within == group; got != within {
			t.Errorf("%s: %v", name, got)
		}
	}
	elsewhere := thing("web-1")
	elsewhere.Namespace = "other"
	p.steps = []plan.Step{{Key: elsewhere, Action: plan.Delete}}
	if p.findFormerMembers(); p.steps[0].Within != (manifest.Key{}) {
		t.Error("a group of another namespace")
	}
}
