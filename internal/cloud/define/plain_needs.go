package define

import "github.com/stackreeve/stackreeve/internal/reconcile/kind"

// Takes implements kind.Counted.
func (r *plainRules[Spec, Filter, More]) Takes(s *Spec, of kind.FactsOf) kind.Amounts {
	if r.of.Takes == nil {
		return nil
	}
	return r.of.Takes(s, of)
}

// Holds implements kind.Counted.
func (r *plainRules[Spec, Filter, More]) Holds(have *PlainState[Spec, More], of kind.FactsOf) kind.Amounts {
	return r.Takes(&have.Spec, of)
}

// PerHost implements kind.Apart.
func (r *plainRules[Spec, Filter, More]) PerHost(s *Spec) (n int, hard bool) {
	if r.of.PerHost == nil {
		return 0, false
	}
	return r.of.PerHost(s)
}

// PerHostOf implements kind.Apart.
func (r *plainRules[Spec, Filter, More]) PerHostOf(have *PlainState[Spec, More]) (n int, hard bool) {
	return r.PerHost(&have.Spec)
}

// Zone implements kind.Placed.
func (r *plainRules[Spec, Filter, More]) Zone(s *Spec) string {
	if r.of.Zone == nil {
		return ""
	}
	return r.of.Zone(s)
}

// Impossible implements kind.Judge.
func (r *plainRules[Spec, Filter, More]) Impossible(w kind.Want[*Spec]) string {
	if why := unmarkable(w, ""); why != "" || r.of.Impossible == nil {
		return why
	}
	return r.of.Impossible(w)
}

// Project implements kind.Resident.
func (*plainRules[Spec, Filter, More]) Project(w kind.Want[*Spec]) kind.Ref { return projectOf(w) }

// Alone implements kind.Judge.
func (r *plainRules[Spec, Filter, More]) Alone(w kind.Want[*Spec]) []kind.Claim {
	if r.of.Alone == nil {
		return nil
	}
	return r.of.Alone(w)
}

// One is for [PlainKind.Takes] of a kind whose objects count as one of a quota.
func One[Spec any](service, name string) func(*Spec, kind.FactsOf) kind.Amounts {
	return func(*Spec, kind.FactsOf) kind.Amounts { return kind.Amounts{{Service: service, Name: name}: 1} }
}
