package plan

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
)

// Ending is the policy of a plan that ends a stack: its objects go for that reason, and not because a manifest is gone.
func Ending() Policy {
	return func(p Plan) Plan {
		return p.mapSteps(func(s Step) Step {
			s.Causes = s.Causes.Instead(cause.Gone, cause.StackEnds)
			return s
		})
	}
}
