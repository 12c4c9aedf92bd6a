package comment

import (
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Annotations returns notes for lines of manifests. They report problems, steps that destroy something, and steps that cannot be carried out.
func (p Page) Annotations() []forge.Annotation {
	var list []forge.Annotation
	for _, problem := range p.Problems.Sorted() {
		list = report.AnnotateProblem(list, problem, forge.RuleProblem, forge.Grave)
	}
	if p.Plan == nil {
		return list
	}
	for _, s := range p.Plan.Steps {
		switch gradeOf(s) {
		case destroyed:
			level, text := forge.Warning, effectAndReason(s)
			if p.held() {
				level, text = forge.Grave, text+"; held until the plan is approved"
			}
			list = report.Annotate(list, s.Origin, forge.Annotation{Rule: forge.RuleDestroyed, Level: level, Title: s.Key.String(), Message: text + fields(s)})
		case refused:
			list = report.Annotate(list, s.Origin, forge.Annotation{Rule: forge.RuleRefused, Level: forge.Grave, Title: s.Key.String(), Message: effectAndReason(s) + fields(s)})
		case altered, created, detached, waiting, drifted:
		}
	}
	return list
}

// fields names the fields whose change wipes a disk.
func fields(s plan.Step) string {
	var names []string
	for _, c := range s.Changes {
		if s.Action == plan.Update && c.Disruption >= kind.Rebuild {
			names = append(names, c.Field)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (because of " + some(names) + ")"
}
