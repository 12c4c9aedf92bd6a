package guard

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Ending is the policy of a plan that ends a stack: its objects go for that reason, and not because a manifest is gone.
func Ending() plan.Policy {
	return func(p plan.Plan) plan.Plan {
		return p.MapSteps(func(s plan.Step) plan.Step {
			s.Causes = s.Causes.Instead(cause.Gone, cause.StackEnds)
			return s
		})
	}
}
