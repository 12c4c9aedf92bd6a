package kind

// PartStatus is what an object is made of that an object of a workload kind stands for, as far as status goes.
type PartStatus struct {
	Kind, Name string
	Available  bool
	Resource   any // what the part's own kind says of it
}
