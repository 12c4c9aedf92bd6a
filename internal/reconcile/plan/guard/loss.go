package guard

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// mostNamed is how many objects are named of which data would be lost.
const mostNamed = 3

// overLoss says whose data a plan would lose although nothing allows that; zero for nobody's.
func overLoss(p plan.Plan, allowed bool) cause.Cause {
	var names []string
	for _, s := range p.Steps {
		if may := s.LossAllowed; s.LosesData() && !s.Continues && (may == nil && !allowed || may != nil && !*may) {
			names = append(names, s.Key.String())
		}
	}
	if len(names) == 0 {
		return cause.Cause{}
	}
	if more := len(names) - mostNamed; more > 0 {
		names = append(names[:mostNamed], fmt.Sprintf("%d more", more))
	}
	last := len(names) - 1
	text := names[last]
	if last > 0 {
		text = strings.Join(names[:last], ", ") + " and " + text
	}
	return cause.Of(cause.LosesData, text, resolve.AnnotationLoss)
}
