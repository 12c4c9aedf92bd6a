package kind

// Apart is implemented by [Rules] of kinds whose objects keep those that refer to them on hosts of their own.
type Apart[Spec, State any] interface {
	// PerHost is how many of these may share a host, 0 where any number may; hard is false where that is kept only as far
	// as there are hosts.
	PerHost(spec Spec) (n int, hard bool)
	// PerHostOf is the same of an object that is only used.
	PerHostOf(have State) (n int, hard bool)
}

// AnyApart is an [Apart] kind with its types erased.
type AnyApart interface {
	PerHost(w Want[any]) (n int, hard bool)
	PerHostOf(have any) (n int, hard bool)
}

// PerHost implements [AnyApart].
func (k *resource[S, F, T]) PerHost(w Want[any]) (n int, hard bool) {
	if rules, ok := any(k.rules).(Apart[S, T]); ok {
		if spec := typed[S](w).Spec; !none(spec) {
			return rules.PerHost(spec)
		}
	}
	return 0, false
}

// PerHostOf implements [AnyApart].
func (k *resource[S, F, T]) PerHostOf(have any) (n int, hard bool) {
	rules, ok := any(k.rules).(Apart[S, T])
	state, known := have.(T)
	if !ok || !known || none(state) {
		return 0, false
	}
	return rules.PerHostOf(state)
}
