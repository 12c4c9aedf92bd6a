package kind

// Stater is implemented by [Rules] of kinds whose manifests state facts that others need to know
// before the object exists.
type Stater[Spec any] interface {
	// Stated are the facts that the object has as soon as it is made as spec says.
	Stated(spec Spec) Facts
}

// AnyStater is a [Stater] with its types erased.
type AnyStater interface{ Stated(spec any) Facts }

// Stated implements [AnyStater].
func (k *resource[S, F, T]) Stated(spec any) Facts {
	rules, ok := any(k.rules).(Stater[S])
	if of, known := spec.(S); ok && known && !none(of) {
		return rules.Stated(of)
	}
	return Facts{}
}

// MadeBy is the reference to an object that the stack makes as spec says.
func (r Ref) MadeBy(k Kind, spec any) Ref {
	r.Managed, r.spec = true, spec
	r.stater, _ = k.(AnyStater)
	return r
}

// Expected are the facts of the target once the plan is carried out, as far as they are known:
// those of the object that is there, or those that the manifest of a new one states.
func (r Ref) Expected() Facts {
	if r.ID != "" && !r.Anew {
		return r.Facts
	}
	return r.Stated()
}

// Stated are the facts that the manifest of the target states.
func (r Ref) Stated() Facts {
	if r.stater == nil {
		return Facts{}
	}
	return r.stater.Stated(r.spec)
}
