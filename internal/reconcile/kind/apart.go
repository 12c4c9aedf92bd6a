package kind

// Apart is implemented by [Rules] of kinds whose objects keep those that refer to them on hosts of their own.
type Apart[Spec any] interface {
	// PerHost is how many of these may share a host; 0 where any number may.
	PerHost(spec *Spec) int
}

// AnyApart is an [Apart] kind with its types erased.
type AnyApart interface{ PerHost(w Want[any]) int }

// PerHost implements [AnyApart].
func (k *resource[S, F, T]) PerHost(w Want[any]) int {
	if rules, ok := any(k.rules).(Apart[S]); ok {
		if spec := typed[S](w).Spec; spec != nil {
			return rules.PerHost(spec)
		}
	}
	return 0
}
