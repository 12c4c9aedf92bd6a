package kind

// Placed is implemented by [Rules] of kinds whose objects can be put into an availability
// zone of their service.
type Placed[Spec any] interface {
	// Zone is the one that a manifest asks for; "" for none.
	Zone(spec Spec) string
}

// AnyPlaced is a [Placed] kind with its types erased.
type AnyPlaced interface{ Zone(w Want[any]) string }

// Zone implements [AnyPlaced].
func (k *resource[S, F, T]) Zone(w Want[any]) string {
	if rules, ok := any(k.rules).(Placed[S]); ok {
		if spec := typed[S](w).Spec; !none(spec) {
			return rules.Zone(spec)
		}
	}
	return ""
}
