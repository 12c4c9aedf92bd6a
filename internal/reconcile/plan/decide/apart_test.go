package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// An import does not give one stack access to an object that another stack has marked: the object is neither attached nor copied.
func TestAttackAnotherStacksObject(t *testing.T) {
	marked := func(stack string) *kind.Mark {
		return &kind.Mark{Owner: ownertext.Of(stack, thingtest.Key("disk")), Applied: "x"}
	}
	rivals := marked("s")
	rivals.Rivals = marked("other").Owner
	for name, tt := range map[string]struct {
		mark             *kind.Mark
		copied           string
		exclusive, allow bool
		want             plan.Action
	}{
		"another stack's":               {marked("other"), "", true, false, plan.Refuse},
		"that several stacks claim":     {rivals, "", true, false, plan.Refuse},
		"that the configuration grants": {marked("other"), "", true, true, plan.Create},
		"that many can use":             {marked("other"), "", false, false, plan.Create},
		"nobody's":                      {nil, "", true, false, plan.Create},
		"with a mark that was copied":   {marked("other"), "was restored", true, false, plan.Create},
	} {
		t.Run(name, func(t *testing.T) {
			w := thingtest.New()
			want, err := w.Wanted("theirs import=disk", "user atop=theirs")
			if err != nil {
				t.Fatal(err)
			}
			w.Put(thingtest.Thing{Name: "disk", Mark: tt.mark, Copied: tt.copied, Mine: true})
			k := w.Kind()
			k.Info.Exclusive = tt.exclusive
			p := Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{k}, Want: want, Have: w.Snapshot(), Others: tt.allow})
			for _, s := range p.Steps {
				if s.Key.Name == "user" && s.Action != tt.want {
					t.Errorf("%s (%s), want %s", s.Action, s.Reason(), tt.want)
				}
				if s.Key.Name == "theirs" && s.Action.Writes() {
					t.Errorf("the import is %s", s.Action)
				}
			}
		})
	}
}
