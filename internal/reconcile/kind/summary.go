package kind

// PartStatus is the status of one part that an object of a workload kind stands for.
type PartStatus struct {
	Kind, Name string
	Available  bool
	Resource   any // the status in the words of the part's own kind
}
