package decide

import (
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// The same input gives exactly the same plan, although the order in which Go iterates over a map is
// random.
func TestTheSameInputGivesTheSamePlan(t *testing.T) {
	have := kind.Snapshot{}
	var kinds []*kind.Kind
	for i := range 8 {
		w := thingtest.New()
		name := fmt.Sprintf("Thing%d", i)
		kinds = append(kinds, thingtest.Of(kind.Info{Group: "test", Version: "v1", Kind: name}, w))
		live := kind.Live{ID: "id-" + name, Name: name, InOwnProject: true, Phase: kind.Ready, State: &thingtest.Thing{}, Mark: &kind.Mark{Owner: ownertext.Of("s", manifest.Key{Kind: name, Name: "a"}), Applied: "x"}}
		if i > 0 {
			live.Uses = []string{"id-Thing0"}
		}
		have[name] = kind.Collection{Items: []*kind.Live{&live}}
	}
	first := fmt.Sprint(Compute(world.Input{Stack: "s", Kinds: kinds, Have: have}).Steps[7].Blockers)
	for range 50 {
		if again := fmt.Sprint(Compute(world.Input{Stack: "s", Kinds: kinds, Have: have}).Steps[7].Blockers); again != first {
			t.Fatalf("%s and %s", first, again)
		}
	}
}
