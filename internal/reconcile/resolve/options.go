package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// readOptions sets the options of an object from its annotations.
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
	// A detached part of a workload keeps its mark, so that the workload finds it again.
	o.NoPrune = d.Lasts || o.Detach && d.Parent.Kind != ""
	if detach, given := choice(AnnotationDelete, "detach", "delete"); given {
		o.Detach, o.NoPrune = detach, false
	}
	if keep, given := choice(AnnotationPrune, "false", "true"); given {
		o.NoPrune = keep
	}
	if allow, given := choice(AnnotationReplace, "allow", "refuse"); given {
		o.Replace = &allow
	}
	if allow, given := choice(AnnotationLoss, "allow", "refuse"); given {
		o.DataLoss = &allow
	}
	if report, given := choice(AnnotationDrift, "report", "correct"); given {
		o.Report = &report
	}
	if where, given := d.Object.Annotations[AnnotationSubstitute]; given && !slices.Contains(substitutes, where) {
		problems = append(problems, d.Problem(AnnotationField(AnnotationSubstitute), fmt.Sprintf("is %q", where), "use one of "+strings.Join(substitutes, ", ")))
	}
	for path := range strings.SplitSeq(d.Object.Annotations[AnnotationIgnore], ",") {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		if len(o.Ignore) == MaxIgnored {
			problems = append(problems, d.Problem(AnnotationField(AnnotationIgnore),
				fmt.Sprintf("names more than %d fields", MaxIgnored), "name a field that contains several of them, such as spec.resource"))
			break
		}
		o.Ignore = append(o.Ignore, cmp.Or(manifest.Element(d.Body, path), path))
	}
	o.Ways = waysOf(d)
	return append(problems, readAdoption(d)...)
}

// readAdoption reads which object of the cloud is adopted. If an object stands for others, each of these is adopted by its name. Parts that
// are only imported, or that contain data, are not adopted.
func readAdoption(d *kind.Desired) []manifest.Problem {
	value, given := d.Object.Annotations[AnnotationAdopt]
	field := AnnotationField(AnnotationAdopt)
	part, isData := d.Parent.Kind != "", d.Virtual && d.Spec == nil
	switch {
	case !given || value == "false":
		return nil
	case part && (d.Unmanaged || d.Import != nil || isData):
		return nil
	case value == "":
		return []manifest.Problem{d.Problem(field, "is empty", `give the ID of the object in the cloud, or "true" to find the object by its name`)}
	case d.Unmanaged:
		return []manifest.Problem{d.Problem(field, "is given for an unmanaged object", "remove it, or set managementPolicy: managed")}
	case d.Import != nil:
		return []manifest.Problem{d.Problem(field, "is given together with spec.import", "keep one of them")}
	case isData:
		return []manifest.Problem{d.Problem(field, "is given for a manifest that has no object in the cloud", "remove it")}
	case d.Virtual && value != "true":
		return []manifest.Problem{d.Problem(field, "is an ID, but this manifest has no object of its own in the cloud", `use "true", which adopts each of its parts by name, or write a manifest for each part`)}
	case d.Virtual:
		return nil
	}
	d.Import = &kind.Import{ID: value, Field: field}
	if value == "true" {
		d.Import.ID, d.Import.ByName = "", true
	}
	return nil
}
