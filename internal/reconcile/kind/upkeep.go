package kind

import "time"

// Upkeep is what time makes due of an object that is as its manifest says. It is no difference:
// neither a commit nor anybody in the cloud has changed anything.
type Upkeep struct {
	// Due are carried out by an update, each as it says. One with a Loss takes something away.
	Due []Change
	// Next is when something may be due that is not now; the zero time for never.
	Next time.Time
	// Overdue says why what was due is not done, in words that stay the same; "" where
	// nothing is missing.
	Overdue string
}

// Tended is implemented by [Rules] of kinds whose objects are tended as time passes, such as
// a series of snapshots.
type Tended[Spec, State any] interface {
	// Upkeep says what is due at a time. It is asked of objects that are as wanted, or are left
	// as they are, while all that they refer to can be used.
	Upkeep(w Want[Spec], have State, now time.Time) Upkeep
}

// AnyTended is a [Tended] kind with its types erased.
type AnyTended interface {
	Upkeep(w Want[any], have any, now time.Time) Upkeep
}

// Upkeep implements [AnyTended].
func (k *resource[S, F, T]) Upkeep(w Want[any], have any, now time.Time) Upkeep {
	rules, ok := any(k.rules).(Tended[S, T])
	state, known := have.(T)
	if !ok || !known || none(state) {
		return Upkeep{}
	}
	return rules.Upkeep(typed[S](w), state, now)
}

// Lasting is implemented by [Rules] of kinds whose objects may outlive their manifests without an
// annotation that says so.
type Lasting[Spec any] interface{ Lasts(spec Spec) bool }

// lasts reports whether an object outlives its manifest when no annotation says otherwise.
func lasts[S any](rules any, spec S) bool {
	l, ok := rules.(Lasting[S])
	return ok && l.Lasts(spec)
}
