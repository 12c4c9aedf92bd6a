package kind

// Judge is implemented by [Rules] that know, by what a spec refers to, of what no cloud
// will make.
type Judge[Spec any] interface {
	// Impossible says why the cloud will refuse to make an object, with the field; "" when
	// nothing is known to be in the way. What is not known yet is no reason.
	Impossible(w Want[Spec]) string
	// Alone is what is asked for that only one object can have, such as an address of a
	// subnet.
	Alone(w Want[Spec]) []Claim
}

// Claim is what a manifest asks for that only one object can have.
type Claim struct {
	Field string // that asks for it
	Of    Ref    // what it is of, such as a subnet
	What  string // which of it, such as an address; written alike by all who ask
	By    string // the kind that it shows as who has it: a subnet's addresses are all on ports
	// Remedy says what to do where another object has it, or asks for it; "" for choosing another.
	Remedy string
}

// Token is what the object answers to that has it (see [Live.Tokens]); "" while what it is of
// is not there, or is about to be replaced.
func (c Claim) Token() string {
	if c.Of.ID == "" || c.Of.Anew {
		return ""
	}
	return Held(c.Of.ID, c.What)
}

// Held is the token of an object that has something of another one, which is given by its ID.
func Held(of, what string) string { return of + "/" + what }

// AnyJudge is a [Judge] with its types erased.
type AnyJudge interface {
	Impossible(w Want[any]) string
	Alone(w Want[any]) []Claim
}

// Impossible implements [AnyJudge].
func (k *resource[S, F, T]) Impossible(w Want[any]) string {
	if rules, ok := any(k.rules).(Judge[S]); ok {
		if t := typed[S](w); !none(t.Spec) {
			return rules.Impossible(t)
		}
	}
	return ""
}

// Alone implements [AnyJudge].
func (k *resource[S, F, T]) Alone(w Want[any]) []Claim {
	if rules, ok := any(k.rules).(Judge[S]); ok {
		if t := typed[S](w); !none(t.Spec) {
			return rules.Alone(t)
		}
	}
	return nil
}
