package resolve

import "github.com/stackreeve/stackreeve/internal/manifest"

// AnnotationValues lists the possible values of annotations with a fixed choice, the default last.
// An annotation that is missing here accepts any text.
func AnnotationValues() map[string][]string {
	return map[string][]string{
		AnnotationPrune:      {"false", "true"},
		AnnotationDelete:     {"detach", "delete"},
		AnnotationDrift:      {"report", "correct"},
		AnnotationReplace:    {"allow", "refuse"},
		AnnotationLoss:       {"allow", "refuse"},
		AnnotationSuspend:    {"true", "false"},
		AnnotationSubstitute: substitutes,
	}
}

// Annotations lists the annotations that manifests may have, with their meaning.
func Annotations() map[string]string {
	return map[string]string{
		AnnotationPrune:      `"false": the object is never deleted, even when its manifest is removed`,
		AnnotationDelete:     `"detach": when the manifest is removed, the object is let go. It stays in the cloud, without the stack's mark, and nobody manages it. "delete" is the default`,
		AnnotationDrift:      `"report": changes that somebody makes in the cloud are only reported; "correct": the agent reverts them`,
		AnnotationChange:     `field=way, separated by commas, such as imageRef=rebuild, flavorRef=resize, userData=ignore: how the agent changes fields whose change would otherwise replace the object. "replace" and "ignore" are possible for all of these fields; "explain Server.imageRef" lists all ways of a field`,
		AnnotationReplace:    `"allow" or "refuse": whether the object may be deleted and recreated to apply a change`,
		AnnotationLoss:       `"allow" or "refuse": whether the object, or a part of it, may be deleted or replaced if data is lost that exists nowhere else. If a commit with "allow" was applied, the permission is still valid after the manifest is removed`,
		AnnotationSuspend:    `"true": the agent does not change the object, nor the objects that it expands to or expanded to earlier; the agent recognises the earlier ones by their names`,
		AnnotationMoved:      `Kind/old-name: the former name of the object; the objects that were created under that name are kept. Several former names are separated by commas`,
		AnnotationAdopt:      `an ID, or "true" for the name: the only object in the cloud with that ID or name is adopted if no stack owns it, and none is created. On a kind that expands to several objects, such as a VirtualMachineGroup, "true" applies to each of them. After the adoption the annotation has no effect`,
		AnnotationSubstitute: `where ${name} stands for a value of the stack, if the stack has values. "spec" is the default: in the spec, except scripts and other secret fields. "all": in the whole spec, with scripts and secret fields, and in the data of a ConfigMap or Secret. "none": nowhere but in the name`,
		AnnotationIgnore:     `field paths, separated by commas, whose values in the cloud are not changed`,
	}
}

// The annotations that manifests may have.
const (
	AnnotationPrefix     = "stackreeve.dev/"
	AnnotationPrune      = AnnotationPrefix + "prune"
	AnnotationDelete     = AnnotationPrefix + "on-delete"
	AnnotationDrift      = AnnotationPrefix + "drift"
	AnnotationReplace    = AnnotationPrefix + "replace"
	AnnotationLoss       = AnnotationPrefix + "data-loss"
	AnnotationSuspend    = AnnotationPrefix + "suspend"
	AnnotationIgnore     = AnnotationPrefix + "ignore-fields"
	AnnotationAdopt      = AnnotationPrefix + "adopt"
	AnnotationMoved      = AnnotationPrefix + "moved-from"
	AnnotationSubstitute = AnnotationPrefix + "substitute"
	AnnotationChange     = AnnotationPrefix + "change-policy"
)

// substitutes are the values of AnnotationSubstitute.
var substitutes = []string{manifest.SubstituteAll, manifest.SubstituteNone, "spec"}

// MaxIgnored is the maximum number of fields in the annotation ignore-fields of an object.
const MaxIgnored = 100

// AnnotationField returns the path of an annotation.
func AnnotationField(name string) string { return "metadata.annotations[" + name + "]" }
