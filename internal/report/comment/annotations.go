package comment

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// longestMessage is the maximum length of an annotation, in characters.
const longestMessage = 2_000

// Annotations returns notes for lines of manifests: what is wrong with them, and which of them destroy something or cannot be carried out.
func (p Page) Annotations() []forge.Annotation {
	var list []forge.Annotation
	for _, problem := range p.Problems.Sorted() {
		text := problem.What
		if problem.Fix != "" {
			text += "; " + problem.Fix
		}
		list = p.annotate(list, problem.Origin, forge.Grave, subject(problem), text)
	}
	if p.Plan == nil {
		return list
	}
	for _, s := range p.Plan.Steps {
		switch gradeOf(s) {
		case destroyed:
			level, text := forge.Warning, explained(s)
			if p.held() {
				level, text = forge.Grave, text+"; held until the plan is approved"
			}
			list = p.annotate(list, s.Origin, level, s.Key.String(), text+fields(s))
		case refused:
			list = p.annotate(list, s.Origin, forge.Grave, s.Key.String(), explained(s)+fields(s))
		case altered, created, detached, waiting, drifted:
		}
	}
	return list
}

// annotate adds a note if its line is known.
func (p Page) annotate(list []forge.Annotation, o manifest.Origin, level forge.Level, title, message string) []forge.Annotation {
	if o.File == "" {
		return list
	}
	return append(list, forge.Annotation{
		File: o.File, Line: max(o.Line, 1), Level: level,
		Title: printable.Shorten(report.Clean(title), longestName), Message: printable.Shorten(report.Clean(message), longestMessage),
	})
}

func subject(problem manifest.Problem) string {
	var parts []string
	for _, text := range []string{problem.Key.String(), problem.Field} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return "wrong manifest"
	}
	return strings.Join(parts, ": ")
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
