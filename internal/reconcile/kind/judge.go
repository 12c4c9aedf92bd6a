package kind

// Judge is implemented by [Rules] that know, by what a spec refers to, of what no cloud
// will make.
type Judge[Spec any] interface {
	// Impossible says why the cloud will refuse to make an object, with the field; "" when
	// nothing is known to be in the way. What is not known yet is no reason.
	Impossible(w Want[Spec]) string
	// Alone are tokens that only one object can answer to (see [Live.Tokens]), such as an
	// address of a subnet, each with the field that asks for it.
	Alone(w Want[Spec]) map[string]string
}

// AnyJudge is a [Judge] with its types erased.
type AnyJudge interface {
	Impossible(w Want[any]) string
	Alone(w Want[any]) map[string]string
}

// Impossible implements [AnyJudge].
func (k *resource[S, F, T]) Impossible(w Want[any]) string {
	if rules, ok := any(k.rules).(Judge[S]); ok {
		if t := typed[S](w); t.Spec != nil {
			return rules.Impossible(t)
		}
	}
	return ""
}

// Alone implements [AnyJudge].
func (k *resource[S, F, T]) Alone(w Want[any]) map[string]string {
	if rules, ok := any(k.rules).(Judge[S]); ok {
		if t := typed[S](w); t.Spec != nil {
			return rules.Alone(t)
		}
	}
	return nil
}
