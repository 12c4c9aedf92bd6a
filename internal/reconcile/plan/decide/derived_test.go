package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// An object that differs and is not changed is either suspended, or outdated because of its group's strategy. In neither case is the
// difference drift.
func TestWhatIsLeftAsItIs(t *testing.T) {
	suspend, here := &kind.Desired{Options: kind.Options{Suspend: true}}, &kind.Live{}
	differs := []kind.Change{{Field: "spec.resource.colour"}}
	for name, c := range map[string]struct {
		step                plan.Step
		suspended, outdated bool
	}{
		"kept as wanted":                       {plan.Step{Action: plan.Keep, Object: plan.Object{Want: &kind.Desired{}, Have: here}}, false, false},
		"suspended":                            {plan.Step{Action: plan.Keep, Object: plan.Object{Want: suspend, Have: here}}, true, false},
		"suspended, and refused":               {plan.Step{Action: plan.Refuse, Object: plan.Object{Want: suspend, Have: here}}, false, false},
		"a part of what is suspended":          {plan.Step{Action: plan.Keep, Manner: plan.Manner{OfSuspended: true}, Object: plan.Object{Have: here}}, true, false},
		"frozen by its group, and as wanted":   {plan.Step{Action: plan.Keep, Manner: plan.Manner{Frozen: true}, Object: plan.Object{Want: &kind.Desired{}, Have: here}}, false, false},
		"frozen by its group, and differs":     {plan.Step{Action: plan.Keep, Manner: plan.Manner{Frozen: true}, Object: plan.Object{Want: &kind.Desired{}, Have: here, Uncounted: differs}}, false, true},
		"frozen by its group, and missing":     {plan.Step{Action: plan.Keep, Manner: plan.Manner{Frozen: true}, Object: plan.Object{Want: &kind.Desired{}}}, false, true},
		"frozen by its group, and not wanted":  {plan.Step{Action: plan.Keep, Manner: plan.Manner{Frozen: true}, Object: plan.Object{Have: here}}, false, true},
		"frozen by its group, and has drifted": {plan.Step{Action: plan.Keep, Manner: plan.Manner{Frozen: true}, Comparison: plan.Comparison{Drift: true}, Object: plan.Object{Want: &kind.Desired{}, Have: here, Uncounted: differs}}, false, false},
	} {
		if c.step.Suspended() != c.suspended || c.step.Outdated() != c.outdated {
			t.Errorf("%s: suspended %v, outdated %v", name, c.step.Suspended(), c.step.Outdated())
		}
	}
}
