package preflight

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Findings contains the facts about a plan as a whole before any of it is carried out. They are for people and decide nothing, because a
// quota can be raised while the plan waits. The zero Findings is empty.
type Findings struct {
	// Quotas are the plan's demands of resources that have a limit.
	Quotas []Quota
	// Warnings are the other reasons why the plan will probably fail.
	Warnings cause.List
	// Notes are the facts that are unknown.
	Notes cause.List
	// Cost is the change of the monthly cost; nil if there are no prices.
	Cost *Cost
}

// Of returns the findings that need no further requests. They follow from a plan, its kinds, the cloud's objects and prices. prices may be
// nil.
func Of(p plan.Plan, kinds []*kind.Kind, have kind.Snapshot, prices *Prices) Findings {
	f := Findings{Cost: prices.Cost(DemandOf(p, kinds, have))}
	for _, d := range LikelyRefusals(p, kinds) {
		f.Warnings = f.Warnings.And(d.Cause())
	}
	for _, s := range ShortagesOf(p, kinds, have) {
		f.Warnings = f.Warnings.And(cause.Of(cause.OfObject, s.Key, s.Cause()))
	}
	return f
}

// Short returns the quotas that are too small for the plan.
func (f Findings) Short() (list []Quota) {
	for _, q := range f.Quotas {
		if q.Short() > 0 {
			list = append(list, q)
		}
	}
	return list
}

// Redacted removes secrets from texts that clouds wrote.
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
