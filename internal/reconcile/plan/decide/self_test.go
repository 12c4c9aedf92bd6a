package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

func TestOwnedWhereTheMarkSays(t *testing.T) {
	w := thingtest.New()
	stranger := kind.Mark{Owner: ownertext.Of("s", manifest.Key{Group: "test", Kind: "Other", Namespace: "default", Name: "a"}), Applied: "x"}
	items := []*kind.Live{{ID: "1", Name: "a", Mark: &stranger, InOwnProject: true, AlsoListedAs: "Other", Phase: kind.Ready, Uses: []string{"2"}, State: &thingtest.Thing{}}}
	made := Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Have: kind.Snapshot{"Thing": {Items: items}, "Other": {Items: items}}})
	if made.OwnedKinds["Thing"] != 0 || len(made.Steps) != 0 {
		t.Errorf("owned %v, steps %v: what another kind owns is not this one's", made.OwnedKinds, made.Steps)
	}
}

// A plan has a step for an object with a mark for another kind.
func TestAttackMarkOfAnotherKind(t *testing.T) {
	w := thingtest.New()
	stranger := kind.Mark{Owner: ownertext.Of("s", manifest.Key{Group: "test", Kind: "Other", Namespace: "default", Name: "a"}), Applied: "x"}
	items := []*kind.Live{{ID: "1", Name: "a", Mark: &stranger, InOwnProject: true, Phase: kind.Ready, State: &thingtest.Thing{}}}
	made := Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Have: kind.Snapshot{"Thing": {Items: items}}})
	if made.Owned != 0 || len(made.Steps) != 1 || made.Steps[0].Action != plan.Refuse {
		t.Errorf("owned %d, steps %v", made.Owned, made.Steps)
	}
}
