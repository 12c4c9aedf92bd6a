package engine

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// wiping makes a thing lose its contents when its colour changes.
func wiping(w *thingtest.World) *kind.Kind {
	k := thingtest.Typed(w.Kind().Info, w)
	k.Diff = func(w typed.Want[thingtest.Spec], t *thingtest.Thing, c *kind.Changes) {
		kind.Differs(c, "spec.resource.colour", t.Colour, w.Spec.Colour, kind.Rebuild)
		kind.Fixed(c, "spec.resource.shape", t.Shape, w.Spec.Shape)
	}
	return k.Resource()
}

// A destructive change that becomes necessary while a pass runs is not carried out by that pass.
// The next pass plans it, so that the brake checks it.
func TestAPassDestroysNothingThatItDidNotSetOutTo(t *testing.T) {
	for name, harm := range map[string]func(*thingtest.Thing){
		"to be replaced": func(t *thingtest.Thing) { t.Shape = "flat" },
		"to be wiped":    func(t *thingtest.Thing) { t.Colour = "grey" },
		"to be deleted": func(t *thingtest.Thing) {
			t.Mark = &kind.Mark{Owner: ownertext.Of("s", thingtest.Key("gone")), Applied: "x"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := thingtest.New()
			want, err := w.Wanted("a colour=red shape=round", "b colour=red shape=round", "new")
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range want[:2] {
				mark := d.PlainMark("s")
				w.Put(thingtest.Thing{Name: d.Key.Name, Colour: "red", Shape: "round", Mark: &mark, Mine: true})
			}
			w.Things["id-002"].Colour = "blue" // this change is in the first plan
			w.OnCreate = func(string) (before, after error) {
				harm(w.Things["id-001"])
				return nil, nil
			}
			e := engineOf(w)
			e.Kinds = []*kind.Kind{wiping(w)}
			synctest.Test(t, func(t *testing.T) {
				pass := e.Sync(context.Background(), Revision{Want: want})
				if w.Things["id-001"] == nil || w.Things["id-001"].Leaving > 0 || w.Things["id-001"].Colour == "red" && name == "to be wiped" {
					t.Error("it was destroyed though no plan said so beforehand")
				}
				if w.Things["id-002"].Colour != "red" || pass.Outcome() != plan.OutOfSync || harmedBy(pass.Last) != 1 {
					t.Errorf("%s: b is %s, left: %v", pass.Outcome(), w.Things["id-002"].Colour, pass.Last.Summary())
				}
				e.Limits = guard.Limits{All: guard.Limit{Count: 0}}
				if next := e.Sync(context.Background(), Revision{Want: want}); !next.First.Held.Has(cause.OverLimit) {
					t.Errorf("the next pass is held: %q", next.First.Held)
				}
			})
		})
	}
}
