package define

import (
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// counts returns the amounts of quotas that an object uses, together with the objects that are
// created with it. The argument more is nil if the object does not exist yet.
func (d *Driver[Spec, Filter, More]) counts(s *Spec, more *More, of kind.FactsOf) kind.Amounts {
	amounts := kind.Amounts{}
	if d.of.QuotaNeeded != nil {
		amounts.AddAll(d.of.QuotaNeeded(s, of))
	}
	if shared := sharesIn(s); shared.any() {
		amounts.AddAll(kind.Amounts{{Service: cloud.Network, Name: "rbac_policy"}: int64(len(shared.SharedWith))})
	}
	if d.of.Besides != nil {
		amounts.AddAll(d.of.Besides(s, more))
	}
	return amounts
}

func (d *Driver[Spec, Filter, More]) impossible(w typed.Want[Spec]) string {
	if why := d.unmarkable(w); why != "" || d.of.Impossible == nil {
		return why
	}
	return d.of.Impossible(w)
}

// One returns a function for [Resource.QuotaNeeded]: each object of the kind uses one unit of the quota.
func One[Spec any](service, name string) func(*Spec, kind.FactsOf) kind.Amounts {
	return func(*Spec, kind.FactsOf) kind.Amounts { return kind.Amounts{{Service: service, Name: name}: 1} }
}
