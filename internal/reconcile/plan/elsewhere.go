package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
)

// Elsewhere notes that what a plan creates may exist in another project than the one that the credentials are of: such a plan
// waits for an approval. Without always, that says nothing about a project that holds anything of the stack.
func Elsewhere(why cause.Cause, always bool) Policy {
	return func(p Plan) Plan {
		if (always || p.Owned == 0) && slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Action == Create }) {
			p.Elsewhere = why
		}
		return p
	}
}
