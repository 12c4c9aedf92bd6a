package preflight

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// OnlyMainEntry returns a plan without the steps of further entries of clouds.yaml. It returns false if one of the steps that it leaves out writes.
func OnlyMainEntry(p plan.Plan) (main plan.Plan, all bool) {
	if !slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Entry() != "" }) {
		return p, true
	}
	main, all = p, true
	main.Steps = nil
	for _, s := range p.Steps {
		if s.Entry() == "" {
			main.Steps = append(main.Steps, s)
		} else if s.Action.Writes() {
			all = false
		}
	}
	return main, all
}
