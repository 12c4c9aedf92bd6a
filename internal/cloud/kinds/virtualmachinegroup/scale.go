package virtualmachinegroup

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// validateScale checks minReplicas and maxReplicas. Between them, another program chooses the
// number of machines.
func (s *Spec) validateScale(r *kind.Report) {
	const least, most = "spec.minReplicas", "spec.maxReplicas"
	if s.MaxReplicas == nil {
		if s.MinReplicas != nil {
			r.Problem(least, "is given without maxReplicas", "add maxReplicas, or say replicas instead")
		}
		return
	}
	if n := table.Or(s.MinReplicas, 1); n > *s.MaxReplicas {
		r.Problem(least, fmt.Sprintf("is %d, more than maxReplicas, which is %d", n, *s.MaxReplicas), "make it the smaller one")
	}
	if s.Replicas != nil {
		r.Problem("spec.replicas", "is given along with maxReplicas, which leaves the number to somebody else", "keep one of them")
	}
	if len(s.IsolationGroups) > 0 {
		r.Problem(most, "is given along with isolationGroups, which have numbers of their own", "keep one of them, or use zones")
	}
	if s.Template.InitScript != nil && s.Template.InitScript.Template {
		r.Problem("spec.template.initScript.template", "says what machines there are, and with maxReplicas that is not known", "remove it, or say replicas instead of maxReplicas")
	}
}

// least is the number of machines that always exist, out of the given number.
func (s *Spec) least(of int) int {
	if s.MaxReplicas == nil {
		return of
	}
	return min(of, table.Or(s.MinReplicas, 1))
}
