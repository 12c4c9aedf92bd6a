package reconcile

// AnnotationValues lists the values that annotations with a fixed choice may
// have, the default last; one that is missing here takes any text.
func AnnotationValues() map[string][]string {
	return map[string][]string{
		annotationPrune:   {"false", "true"},
		annotationDelete:  {"detach", "delete"},
		annotationDrift:   {"report", "correct"},
		annotationReplace: {"allow", "refuse"},
		annotationSuspend: {"true", "false"},
	}
}
