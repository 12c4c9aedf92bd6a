package define

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Takes implements kind.Counted.
func (r *neutronRules[Spec, Filter, More]) Takes(s *Spec, _ kind.FactsOf) kind.Amounts {
	return r.counts(s, nil)
}

// Holds implements kind.Counted.
func (r *neutronRules[Spec, Filter, More]) Holds(have *NeutronState[Spec, More], _ kind.FactsOf) kind.Amounts {
	return r.counts(&have.Spec, &have.More)
}

// counts is one of its kind, and what comes with it. more is nil of what is not there yet.
func (r *neutronRules[Spec, Filter, More]) counts(s *Spec, more *More) kind.Amounts {
	amounts := kind.Amounts{{Service: cloud.Network, Name: r.of.Resource.Singular}: 1}
	if shared := sharesIn(s); shared != nil && len(shared.SharedWith) > 0 {
		amounts.AddAll(kind.Amounts{{Service: cloud.Network, Name: "rbac_policy"}: int64(len(shared.SharedWith))})
	}
	if r.of.Besides != nil {
		amounts.AddAll(r.of.Besides(s, more))
	}
	return amounts
}

// Impossible implements kind.Judge.
func (r *neutronRules[Spec, Filter, More]) Impossible(w kind.Want[*Spec]) string {
	description, _ := r.fields.Present("description", w.Spec).(string)
	if why := unmarkable(w, description); why != "" || r.of.Impossible == nil {
		return why
	}
	return r.of.Impossible(w)
}

// Project implements kind.Resident.
func (*neutronRules[Spec, Filter, More]) Project(w kind.Want[*Spec]) kind.Ref { return projectOf(w) }

// Alone implements kind.Judge.
func (r *neutronRules[Spec, Filter, More]) Alone(w kind.Want[*Spec]) []kind.Claim {
	if r.of.Alone == nil {
		return nil
	}
	return r.of.Alone(w)
}

// Stated implements kind.Stater.
func (r *neutronRules[Spec, Filter, More]) Stated(s *Spec) kind.Facts {
	if r.of.Stated == nil {
		return kind.Facts{}
	}
	return r.of.Stated(s)
}
