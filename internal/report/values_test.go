package report_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/report"
)

// The fields of a creation are listed. For other steps, no fields are listed.
func TestOnlyCreationsHaveValues(t *testing.T) {
	w := thingtest.New()
	want, err := w.Wanted("new colour=red", "changes colour=red", "stays")
	if err != nil {
		t.Fatal(err)
	}
	thingtest.Fill(t, w, []string{"changes stale colour=blue", "stays ours", "goes ours"}, want)
	seen := map[plan.Action]bool{}
	for _, s := range decide.Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Want: want, Have: w.Snapshot()}).Steps {
		seen[s.Action] = true
		if got := report.Values(s); (len(got) > 0) != (s.Action == plan.Create) {
			t.Errorf("%s %s has the values %v", s.Action, s.Key, got)
		}
	}
	if len(seen) != 4 {
		t.Errorf("the plan has %v, want a step of four actions", seen)
	}
}
