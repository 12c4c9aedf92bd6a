package kindtest

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// Denied is a plan under a policy that denies one object, and nothing else.
func Denied(p plan.Plan, denied manifest.Key) plan.Plan {
	return p.Apply(guard.Judge(func(string) bool { return true }, func(about guard.Subject) (v guard.Verdict) {
		if about.Key == denied {
			v.Deny = "denied"
		}
		return v
	}))
}

// deniedByAll is a law: what a commit changes and a policy denies is carried out by no step, those of other objects included. p
// is the plan of a commit. Where that has several objects written, as of a machine with its volumes, the others are not denied.
func (s Suite) deniedByAll(t *testing.T, p plan.Plan) {
	t.Helper()
	writing := 0
	for _, step := range p.Steps {
		if step.Action.Writes() && !step.Drift {
			writing++
		}
	}
	if writing > 1 {
		return
	}
	for _, step := range Denied(p, s.step(t, p).Key).Steps {
		if step.Action.Writes() && !step.Drift {
			t.Errorf("the only object that the commit changes is denied, and %s is to %s: %s", step.Key, step.Action, describe(step.Changes))
		}
	}
}
