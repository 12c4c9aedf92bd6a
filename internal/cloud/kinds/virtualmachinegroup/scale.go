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
			r.Problem(least, "is given, but maxReplicas is not", "add maxReplicas, or use replicas instead")
		}
		return
	}
	if n := table.Or(s.MinReplicas, 1); n > *s.MaxReplicas {
		r.Problem(least, fmt.Sprintf("is %d, more than maxReplicas, which is %d", n, *s.MaxReplicas), "make it the smaller one")
	}
	if s.Replicas != nil {
		r.Problem("spec.replicas", "is given together with maxReplicas, with which the repository does not decide the number", "keep one of them")
	}
	if len(s.IsolationGroups) > 0 {
		r.Problem(most, "is given together with isolationGroups, which give the numbers", "keep one of them, or use zones")
	}
	if s.Template.InitScript != nil && s.Template.InitScript.Template {
		r.Problem("spec.template.initScript.template", "gives the number of machines, but with maxReplicas the number is not known", "remove it, or use replicas instead of maxReplicas")
	}
}

// least is the number of machines that always exist, out of the given number.
func (s *Spec) least(of int) int {
	if s.MaxReplicas == nil {
		return of
	}
	return min(of, table.Or(s.MinReplicas, 1))
}
