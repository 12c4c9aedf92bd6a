package guard

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// maxNamed is how many of the objects whose data would be lost a message names.
const maxNamed = 3

// lossCause returns a cause that names the objects whose data a plan would lose without permission;
// zero if there are none.
func lossCause(p plan.Plan, allowed bool) cause.Cause {
	var names []string
	for _, s := range p.Steps {
		if may := s.LossAllowed; s.LosesData() && !s.Continues && (may == nil && !allowed || may != nil && !*may) {
			names = append(names, s.Key.String())
		}
	}
	if len(names) == 0 {
		return cause.Cause{}
	}
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", more))
	}
	last := len(names) - 1
	text := names[last]
	if last > 0 {
		text = strings.Join(names[:last], ", ") + " and " + text
	}
	return cause.Of(cause.LosesData, text, resolve.AnnotationLoss)
}
