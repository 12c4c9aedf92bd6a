package decide

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// suspend makes the step for a suspended object. If a value that the object needs is unknown, the step waits for the value. The next pass tries
// to read it again.
func suspend(s plan.Step, d *kind.Desired, more ...cause.Cause) plan.Step {
	if d.Unread == nil {
		return s.WithAction(plan.Keep, slices.Concat([]cause.Cause{cause.Of(cause.Suspended)}, more)...)
	}
	s.Error = !d.Unread.Untried
	return s.WithAction(plan.Wait, slices.Concat([]cause.Cause{cause.Of(cause.ValueUnknown, d.Unread.Why)}, more)...)
}
