package plan

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// What a suspension, or the strategy of a group, leaves as it is differs in one of two ways from what is wanted: neither is drift.
func TestWhatIsLeftAsItIs(t *testing.T) {
	suspend, here := &kind.Desired{Options: kind.Options{Suspend: true}}, &kind.Live{}
	differs := []kind.Change{{Field: "spec.resource.colour"}}
	for name, c := range map[string]struct {
		step                Step
		suspended, outdated bool
	}{
		"kept as wanted":                     {Step{Action: Keep, object: object{want: &kind.Desired{}, have: here}}, false, false},
		"suspended":                          {Step{Action: Keep, object: object{want: suspend, have: here}}, true, false},
		"suspended, and refused":             {Step{Action: Refuse, object: object{want: suspend, have: here}}, false, false},
		"a part of what is suspended":        {Step{Action: Keep, manner: manner{ofSuspended: true}, object: object{have: here}}, true, false},
		"left by its group, and as wanted":   {Step{Action: Keep, manner: manner{left: true}, object: object{want: &kind.Desired{}, have: here}}, false, false},
		"left by its group, and differs":     {Step{Action: Keep, manner: manner{left: true}, object: object{want: &kind.Desired{}, have: here, aside: differs}}, false, true},
		"left by its group, and missing":     {Step{Action: Keep, manner: manner{left: true}, object: object{want: &kind.Desired{}}}, false, true},
		"left by its group, and not wanted":  {Step{Action: Keep, manner: manner{left: true}, object: object{have: here}}, false, true},
		"left by its group, and has drifted": {Step{Action: Keep, manner: manner{left: true}, Drift: true, object: object{want: &kind.Desired{}, have: here, aside: differs}}, false, false},
	} {
		if c.step.Suspended() != c.suspended || c.step.Outdated() != c.outdated {
			t.Errorf("%s: suspended %v, outdated %v", name, c.step.Suspended(), c.step.Outdated())
		}
	}
}
