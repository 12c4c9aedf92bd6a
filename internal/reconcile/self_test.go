package reconcile

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

func TestOwnedWhereTheMarkSays(t *testing.T) {
	w := New()
	stranger := Mark{Owner: OwnerText("s", manifest.Key{Group: "test", Kind: "Other", Namespace: "default", Name: "a"}), Applied: "x"}
	items := []Live[any]{{ID: "1", Name: "a", Mark: &stranger, Mine: true, ShownAs: "Other", Phase: Ready, Uses: []string{"2"}, State: &Thing{}}}
	plan := Make(Input{Stack: "s", Kinds: []Kind{w.Kind()}, Have: Snapshot{"Thing": {Items: items}, "Other": {Items: items}}})
	if plan.OwnedKinds["Thing"] != 0 || len(plan.Steps) != 0 {
		t.Errorf("owned %v, steps %v: what another kind owns is not this one's", plan.OwnedKinds, plan.Steps)
	}
}

// An object that bears a mark for another kind, and is not of that kind, is not
// overlooked.
func TestAttackMarkOfAnotherKind(t *testing.T) {
	w := New()
	stranger := Mark{Owner: OwnerText("s", manifest.Key{Group: "test", Kind: "Other", Namespace: "default", Name: "a"}), Applied: "x"}
	items := []Live[any]{{ID: "1", Name: "a", Mark: &stranger, Mine: true, Phase: Ready, State: &Thing{}}}
	plan := Make(Input{Stack: "s", Kinds: []Kind{w.Kind()}, Have: Snapshot{"Thing": {Items: items}}})
	if plan.Owned != 0 || len(plan.Steps) != 1 || plan.Steps[0].Action != Refuse {
		t.Errorf("owned %d, steps %v", plan.Owned, plan.Steps)
	}
}
