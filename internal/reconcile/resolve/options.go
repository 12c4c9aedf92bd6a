package resolve

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// readOptions fills the options of an object from its annotations.
func readOptions(d *kind.Desired) []manifest.Problem {
	var problems []manifest.Problem
	choice := func(name, yes, no string) (chosen, given bool) {
		text, ok := d.Object.Annotations[name]
		switch {
		case !ok:
		case text == yes || text == no:
			return text == yes, true
		default:
			problems = append(problems, d.Problem(AnnotationField(name),
				fmt.Sprintf("is %q", text), fmt.Sprintf("use %q or %q", yes, no)))
		}
		return false, false
	}
	o := &d.Options
	o.Suspend, _ = choice(AnnotationSuspend, "true", "false")
	if detach, given := choice(AnnotationDelete, "detach", "delete"); given {
		o.Detach = detach
	}
	o.NoPrune, _ = choice(AnnotationPrune, "false", "true")
	if allow, given := choice(AnnotationReplace, "allow", "refuse"); given {
		o.Replace = &allow
	}
	if report, given := choice(AnnotationDrift, "report", "correct"); given {
		o.Report = &report
	}
	for path := range strings.SplitSeq(d.Object.Annotations[AnnotationIgnore], ",") {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		if len(o.Ignore) == mostIgnored {
			problems = append(problems, d.Problem(AnnotationField(AnnotationIgnore),
				fmt.Sprintf("names more than %d fields", mostIgnored), "name what holds them, such as spec.resource"))
			break
		}
		o.Ignore = append(o.Ignore, path)
	}
	return problems
}
