package preflight

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Findings are what was found out about a plan as a whole before any of it is carried out. They are for people: nothing is
// decided by them, for a quota can be raised while the plan waits. The zero Findings say nothing.
type Findings struct {
	// Quotas are what the plan takes of resources that have a limit.
	Quotas []Quota
	// Warnings say what else is likely to fail.
	Warnings cause.List
	// Notes say what could not be found out.
	Notes cause.List
	// Cost is what the plan makes a month dearer; nil where there are no prices.
	Cost *Cost
}

// Of is what a plan, its kinds, what the cloud holds and prices show by themselves; nil prices for none.
func Of(p plan.Plan, kinds []*kind.Kind, have kind.Snapshot, prices *Prices) Findings {
	f := Findings{Cost: prices.Cost(DemandOf(p, kinds, have))}
	for _, d := range DoubtsOf(p, kinds) {
		f.Warnings = f.Warnings.And(d.Cause())
	}
	for _, s := range ScarceOf(p, kinds, have) {
		f.Warnings = f.Warnings.And(cause.Of(cause.OfObject, s.Key, s.Cause()))
	}
	return f
}

// Short are the quotas that are too small for the plan.
func (f Findings) Short() (list []Quota) {
	for _, q := range f.Quotas {
		if q.Short() > 0 {
			list = append(list, q)
		}
	}
	return list
}

// Redacted takes secrets out of what clouds wrote.
func (f Findings) Redacted(r *redact.Redactor) Findings {
	f.Quotas, f.Notes, f.Warnings = slices.Clone(f.Quotas), f.Notes.Map(r.Text), f.Warnings.Map(r.Text)
	for i := range f.Quotas {
		f.Quotas[i].Type = r.Text(f.Quotas[i].Type)
	}
	if f.Cost != nil {
		cost := *f.Cost
		cost.Unpriced = slices.Clone(cost.Unpriced)
		for i := range cost.Unpriced {
			cost.Unpriced[i].Type = r.Text(cost.Unpriced[i].Type)
		}
		f.Cost = &cost
	}
	return f
}
