package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// An attacker with the right to write marks forges one that says "detach". Because of such a mark, no object is detached that has a
// manifest, or that another owner has marked, too. The same is true for copies, for several objects with the same mark, and for objects of
// other stacks and projects.
func TestAttackForgedDetach(t *testing.T) {
	forged := func(stack string) *kind.Mark {
		return &kind.Mark{Owner: ownertext.Of(stack, thingtest.Key("a")), Applied: "x", Keep: true, Detach: true}
	}
	rivals := forged("s")
	rivals.Rivals = ownertext.Of("other", thingtest.Key("a"))
	real := &kind.Mark{Owner: forged("s").Owner, Applied: "x"}
	for name, tt := range map[string]struct {
		repo   []string
		things []thingtest.Thing
		want   plan.Action // the action of every step
		steps  int
	}{
		"what the repository wants": {[]string{"a"}, []thingtest.Thing{{Mark: forged("s"), Mine: true}}, plan.Update, 1},
		"another owner's, too":      {nil, []thingtest.Thing{{Mark: rivals, Mine: true}}, plan.Refuse, 1},
		"a copy":                    {nil, []thingtest.Thing{{Mark: forged("s"), Mine: true, Copied: "was restored"}}, plan.Refuse, 1},
		"beside the real one":       {nil, []thingtest.Thing{{Mark: forged("s"), Mine: true}, {Mark: real, Mine: true}}, plan.Refuse, 2},
		"another stack's":           {nil, []thingtest.Thing{{Mark: forged("other"), Mine: true}}, "", 0},
		"another project's":         {nil, []thingtest.Thing{{Mark: forged("s")}}, "", 0},
		"what nothing stands for":   {nil, []thingtest.Thing{{Mark: forged("s"), Mine: true}}, plan.Detach, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := thingtest.New()
			want, err := w.Wanted(tt.repo...)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range tt.things {
				x.Name = "a"
				w.Put(x)
			}
			p := Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Want: want, Have: w.Snapshot()})
			if len(p.Steps) != tt.steps {
				t.Errorf("%d steps, want %d: %v", len(p.Steps), tt.steps, p.Steps)
			}
			for _, s := range p.Steps {
				if s.Action != tt.want {
					t.Errorf("%s (%s), want %s", s.Action, s.FullCause(), tt.want)
				}
			}
			if n := p.Summary().Detach; (n == 1) != (tt.want == plan.Detach) || n == 1 && p.InSync() {
				t.Errorf("%d are let go", n)
			}
		})
	}
}

// A mark that an earlier version wrote is renewed, which is not drift. A mark that somebody changed to say "detach" is drift.
func TestAttackForgedDetachIsDrift(t *testing.T) {
	for name, tt := range map[string]struct {
		line  string
		mark  func(*kind.Mark)
		drift bool
	}{
		"an earlier version's": {"a on-delete=detach", func(m *kind.Mark) { m.Detach = false }, false},
		"forged":               {"a prune=false", func(m *kind.Mark) { m.Detach = true }, true},
		"forged, and keep":     {"a", func(m *kind.Mark) { m.Keep, m.Detach = true, true }, true},
	} {
		w := thingtest.New()
		want, err := w.Wanted(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		m := want[0].PlainMark("s")
		tt.mark(&m)
		w.Put(thingtest.Thing{Name: "a", Mark: &m, Mine: true})
		p := Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Want: want, Have: w.Snapshot()})
		if s := p.Steps[0]; s.Action != plan.Update || s.Drift != tt.drift {
			t.Errorf("%s: %s, drift: %v", name, s.Action, s.Drift)
		}
	}
}
