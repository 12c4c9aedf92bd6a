package kind

// PartStatus is the status of one of the objects that an object of a workload kind expands into.
type PartStatus struct {
	Kind, Name string
	Available  bool
	Resource   any // the result of [Kind.Status] for the part
}
