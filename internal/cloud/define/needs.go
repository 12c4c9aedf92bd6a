package define

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Takes implements kind.Counted.
func (r *rules[Spec, Filter, More]) Takes(s *Spec, of kind.FactsOf) kind.Amounts {
	return r.counts(s, nil, of)
}

// Holds implements kind.Counted.
func (r *rules[Spec, Filter, More]) Holds(have *State[Spec, More], of kind.FactsOf) kind.Amounts {
	return r.counts(&have.Spec, &have.More, of)
}

// counts is an object and what comes with it. more is nil before the object is made.
func (r *rules[Spec, Filter, More]) counts(s *Spec, more *More, of kind.FactsOf) kind.Amounts {
	amounts := kind.Amounts{}
	switch {
	case r.of.Takes != nil:
		amounts.AddAll(r.of.Takes(s, of))
	case r.of.labelled():
		amounts[kind.Resource{Service: cloud.Network, Name: r.of.Collection.Singular}] = 1
	}
	if shared := sharesIn(s); shared != nil && len(shared.SharedWith) > 0 {
		amounts.AddAll(kind.Amounts{{Service: cloud.Network, Name: "rbac_policy"}: int64(len(shared.SharedWith))})
	}
	if r.of.Besides != nil {
		amounts.AddAll(r.of.Besides(s, more))
	}
	return amounts
}

// PerHost implements kind.Apart.
func (r *rules[Spec, Filter, More]) PerHost(s *Spec) (n int, hard bool) {
	if r.of.PerHost == nil {
		return 0, false
	}
	return r.of.PerHost(s)
}

// PerHostOf implements kind.Apart.
func (r *rules[Spec, Filter, More]) PerHostOf(have *State[Spec, More]) (n int, hard bool) {
	return r.PerHost(&have.Spec)
}

// Stated implements kind.Stater.
func (r *rules[Spec, Filter, More]) Stated(s *Spec) kind.Facts {
	if r.of.Stated == nil {
		return kind.Facts{}
	}
	return r.of.Stated(s)
}

// Zone implements kind.Placed.
func (r *rules[Spec, Filter, More]) Zone(s *Spec) string {
	if r.of.Zone == nil {
		return ""
	}
	return r.of.Zone(s)
}

// Impossible implements kind.Judge.
func (r *rules[Spec, Filter, More]) Impossible(w kind.Want[*Spec]) string {
	description := ""
	if r.of.labelled() {
		description, _ = r.fields.Present("description", w.Spec).(string)
	}
	if why := unmarkable(w, description); why != "" || r.of.Impossible == nil {
		return why
	}
	return r.of.Impossible(w)
}

// Doubtful implements kind.Judge.
func (r *rules[Spec, Filter, More]) Doubtful(w kind.Want[*Spec]) string {
	if r.of.Doubtful == nil {
		return ""
	}
	return r.of.Doubtful(w)
}

// Project implements kind.Resident.
func (*rules[Spec, Filter, More]) Project(w kind.Want[*Spec]) kind.Ref { return projectOf(w) }

// ExclusiveClaims implements kind.Judge.
func (r *rules[Spec, Filter, More]) ExclusiveClaims(w kind.Want[*Spec]) []kind.Claim {
	if r.of.ExclusiveClaims == nil {
		return nil
	}
	return r.of.ExclusiveClaims(w)
}

// One is for [Resource.Takes] of a kind whose objects count as one of a quota.
func One[Spec any](service, name string) func(*Spec, kind.FactsOf) kind.Amounts {
	return func(*Spec, kind.FactsOf) kind.Amounts { return kind.Amounts{{Service: service, Name: name}: 1} }
}
