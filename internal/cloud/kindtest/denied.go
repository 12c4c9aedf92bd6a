package kindtest

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// Denied returns the plan under a policy that denies only the object with the key denied.
func Denied(p plan.Plan, denied manifest.Key) plan.Plan {
	return p.Apply(guard.Judge(func(string) bool { return true }, func(about guard.Subject) (v guard.Verdict) {
		if about.Key == denied {
			v.Deny = "denied"
		}
		return v
	}))
}

// deniedByAll is a law: if a policy denies the change of a commit, no step carries it out, not even a step of another object. p
// is the plan of a commit. The law is skipped if the commit changes several objects, such as a machine with its volumes: the
// policy denies only one of them.
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
