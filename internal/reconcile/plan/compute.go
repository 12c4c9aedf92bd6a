package plan

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
)

func (s Step) WithAction(action Action, causes ...cause.Cause) Step {
	s.Action, s.Causes, s.Turn = action, cause.List(nil).And(causes...), cause.Cause{}
	return s
}
