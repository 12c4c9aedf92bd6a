package guard

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Elsewhere notes that what a plan creates may exist in another project than the one that the credentials are of: such a plan
// waits for an approval. Without always, that says nothing about a project that holds anything of the stack.
func Elsewhere(why cause.Cause, always bool) plan.Policy {
	return func(p plan.Plan) plan.Plan {
		if (always || p.Owned == 0) && slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Action == plan.Create }) {
			p.Elsewhere = why
		}
		return p
	}
}
