package resolve

// AnnotationValues lists the values that annotations with a fixed choice may
// have, the default last; one that is missing here takes any text.
func AnnotationValues() map[string][]string {
	return map[string][]string{
		AnnotationPrune:   {"false", "true"},
		AnnotationDelete:  {"detach", "delete"},
		AnnotationDrift:   {"report", "correct"},
		AnnotationReplace: {"allow", "refuse"},
		AnnotationSuspend: {"true", "false"},
	}
}

// Annotations lists the annotations that manifests may carry, with what they
// mean.
func Annotations() map[string]string {
	return map[string]string{
		AnnotationPrune:   `"false": never deleted, even when the manifest is gone`,
		AnnotationDelete:  `"detach": stays in the cloud, unmanaged, when the manifest is gone; "delete" is the default`,
		AnnotationDrift:   `"report": changes made in the cloud are reported, not undone; "correct": undone`,
		AnnotationReplace: `"allow" or "refuse": whether it may be deleted and recreated to apply a change`,
		AnnotationSuspend: `"true": left exactly as it is`,
		AnnotationMoved:   `Kind/old-name: the object was called so before; what was made for it then is kept. Several, from renaming more than once, are separated by commas`,
		AnnotationIgnore:  `comma separated field paths whose value in the cloud is left alone`,
	}
}

// The annotations that manifests may carry.
const (
	AnnotationPrefix  = "stackreeve.dev/"
	AnnotationPrune   = AnnotationPrefix + "prune"
	AnnotationDelete  = AnnotationPrefix + "on-delete"
	AnnotationDrift   = AnnotationPrefix + "drift"
	AnnotationReplace = AnnotationPrefix + "replace"
	AnnotationSuspend = AnnotationPrefix + "suspend"
	AnnotationIgnore  = AnnotationPrefix + "ignore-fields"
	AnnotationMoved   = AnnotationPrefix + "moved-from"
)

// mostIgnored is how many fields of an object can be left alone.
const mostIgnored = 100

// AnnotationField is the path of an annotation.
func AnnotationField(name string) string { return "metadata.annotations[" + name + "]" }
