package kind

// PartStatus is what an object is made of that an object of a workload kind stands for, as far as status goes.
type PartStatus struct {
	Kind, Name string
	Available  bool
	Resource   any // what the part's own kind says of it
}

// Summarizer is the optional part of a workload kind's rules: what status says of its objects besides what it says of
// all, in the words of the kind.
type Summarizer[Spec any] interface {
	Summarize(spec Spec, parts []PartStatus) map[string]any
}

// Summarize is that of a [Summarizer]; nil where there is nothing of its own to say.
func (k *workload[S]) Summarize(spec any, parts []PartStatus) map[string]any {
	rules, ok := k.rules.(Summarizer[*S])
	of, known := spec.(*S)
	if !ok || !known {
		return nil
	}
	return rules.Summarize(of, parts)
}
