package resolve

// AnnotationValues lists the possible values of annotations with a fixed choice, the default last.
// An annotation that is missing here accepts any text.
func AnnotationValues() map[string][]string {
	return map[string][]string{
		AnnotationPrune:   {"false", "true"},
		AnnotationDelete:  {"detach", "delete"},
		AnnotationDrift:   {"report", "correct"},
		AnnotationReplace: {"allow", "refuse"},
		AnnotationLoss:    {"allow", "refuse"},
		AnnotationSuspend: {"true", "false"},
	}
}

// Annotations lists the annotations that manifests may have, with their meaning.
func Annotations() map[string]string {
	return map[string]string{
		AnnotationPrune:   `"false": never deleted, even when the manifest is gone`,
		AnnotationDelete:  `"detach": is let go when the manifest is gone: it stays in the cloud, without the stack's mark, and nobody manages it; "delete" is the default`,
		AnnotationDrift:   `"report": changes made in the cloud are reported, not undone; "correct": undone`,
		AnnotationChange:  `field=way, separated by commas, such as imageRef=rebuild, flavorRef=resize, userData=ignore: how a field is changed that would else have the object replaced. "replace" and "ignore" are ways of all of them; "explain Server.imageRef" lists those of a field`,
		AnnotationReplace: `"allow" or "refuse": whether it may be deleted and recreated to apply a change`,
		AnnotationLoss:    `"allow" or "refuse": whether the object, or a part of it, may be deleted or replaced if data is lost that exists nowhere else. If "allow" was applied, it holds after the manifest is removed, too`,
		AnnotationSuspend: `"true": left exactly as it is, with all that it stands for, and with what its manifest had it stand for before: that is known by its name`,
		AnnotationMoved:   `Kind/old-name: the object was called so before; what was made for it then is kept. Several, from renaming more than once, are separated by commas`,
		AnnotationAdopt:   `an ID, or "true" for the name: the only object of the cloud that has it, and that no stack owns, is adopted, and none is created. On a kind that stands for several objects, such as a VirtualMachineGroup, "true" is about each of them. It has no effect afterwards`,
		AnnotationIgnore:  `comma separated field paths whose value in the cloud is left alone`,
	}
}

// The annotations that manifests may have.
const (
	AnnotationPrefix  = "stackreeve.dev/"
	AnnotationPrune   = AnnotationPrefix + "prune"
	AnnotationDelete  = AnnotationPrefix + "on-delete"
	AnnotationDrift   = AnnotationPrefix + "drift"
	AnnotationReplace = AnnotationPrefix + "replace"
	AnnotationLoss    = AnnotationPrefix + "data-loss"
	AnnotationSuspend = AnnotationPrefix + "suspend"
	AnnotationIgnore  = AnnotationPrefix + "ignore-fields"
	AnnotationAdopt   = AnnotationPrefix + "adopt"
	AnnotationMoved   = AnnotationPrefix + "moved-from"
	AnnotationChange  = AnnotationPrefix + "change-policy"
)

// MostIgnored is how many fields the annotation ignore-fields of an object may name.
const MostIgnored = 100

// AnnotationField is the path of an annotation.
func AnnotationField(name string) string { return "metadata.annotations[" + name + "]" }
