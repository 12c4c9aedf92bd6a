package reconcile

import (
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// The same input gives the same plan, to the last word, whatever the order in
// which Go looks through a map.
func TestTheSameInputGivesTheSamePlan(t *testing.T) {
	have := Snapshot{}
	var kinds []Kind
	for i := range 8 {
		w := New()
		name := fmt.Sprintf("Thing%d", i)
		kinds = append(kinds, Define[Spec, Filter, Thing](Info{Group: "test", Version: "v1", Kind: name}, Rules_{}, w))
		live := Live[any]{ID: "id-" + name, Name: name, Mine: true, Phase: Ready, State: &Thing{}, Mark: &Mark{Owner: OwnerText("s", manifest.Key{Kind: name, Name: "a"}), Applied: "x"}}
		if i > 0 {
			live.Uses = []string{"id-Thing0"}
		}
		have[name] = Collection{Items: []Live[any]{live}}
	}
	first := fmt.Sprint(Make(Input{Stack: "s", Kinds: kinds, Have: have}).Steps[7].Blockers)
	for range 50 {
		if again := fmt.Sprint(Make(Input{Stack: "s", Kinds: kinds, Have: have}).Steps[7].Blockers); again != first {
			t.Fatalf("%s and %s", first, again)
		}
	}
}
