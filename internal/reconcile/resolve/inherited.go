package resolve

import (
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// inheritedAnnotations returns the annotations of an object that also apply to its parts. If the object is in the cloud itself, only the object is
// adopted, and not its parts. A spare member adopts nothing, and it is removed even if other members must be kept.
func inheritedAnnotations(d *kind.Desired, spare bool) map[string]string {
	annotations, not := d.Object.Annotations, []string{}
	if spare {
		not = []string{AnnotationAdopt, AnnotationPrune, AnnotationDelete}
	} else if !d.Virtual {
		not = []string{AnnotationAdopt}
	}
	if !slices.ContainsFunc(not, func(name string) bool { return annotations[name] != "" }) {
		return annotations
	}
	annotations = maps.Clone(annotations)
	for _, name := range not {
		delete(annotations, name)
	}
	return annotations
}

// annotations returns the annotations of an object's parts.
func annotations(d *kind.Desired, spare, suspended bool) map[string]string {
	all := inheritedAnnotations(d, spare)
	if suspended {
		all = maps.Clone(all)
		if all == nil {
			all = map[string]string{}
		}
		all[AnnotationSuspend] = "true"
	}
	return all
}
