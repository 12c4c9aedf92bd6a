package kind

// Resident is implemented by [Rules] of kinds whose manifests may say which project an object is in.
type Resident[Spec any] interface {
	// Project is the reference to it; the zero one where the manifest leaves it to be the stack's own.
	Project(w Want[Spec]) Ref
}

// AnyResident is a [Resident] kind with its types erased.
type AnyResident interface{ Project(w Want[any]) Ref }

// Project implements [AnyResident].
func (k *resource[S, F, T]) Project(w Want[any]) Ref {
	if rules, ok := any(k.rules).(Resident[S]); ok {
		if t := typed[S](w); !none(t.Spec) {
			return rules.Project(t)
		}
	}
	return Ref{}
}
