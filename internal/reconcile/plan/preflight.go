package plan

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Preflight is what was found out about a plan as a whole before any of it is carried
// out. It is for people: nothing is decided by it, for a quota can be raised while the plan
// waits.
type Preflight struct {
	// Quotas are what the plan takes of resources that have a limit.
	Quotas []Quota
	// Warnings say what else is likely to fail.
	Warnings []string
	// Notes say what could not be found out.
	Notes []string
	// Cost is what the plan makes a month dearer; nil where there are no prices.
	Cost *Cost
}

// Short are the quotas that are too small for the plan.
func (f Preflight) Short() (list []Quota) {
	for _, q := range f.Quotas {
		if q.Short() > 0 {
			list = append(list, q)
		}
	}
	return list
}

// Compare fills in what a plan takes of the resources of one service. held are what the
// project has, for quotas of which the service does not say what is used; nil where it is
// not known.
func (f *Preflight) Compare(d Demand, service string, allowed kind.Allowances, held kind.Amounts) {
	for r, n := range d.Takes {
		name := r.Name
		if r.Type != "" {
			name += "_" + r.Type
		}
		a, known := allowed[name]
		if r.Service != service || n <= 0 || !known || a.Limit < 0 {
			continue
		}
		if a.Used < 0 && held != nil {
			a.Used = held[r]
		}
		f.Quotas = append(f.Quotas, Quota{Resource: r, Takes: n, Gives: d.Gives[r], Limit: a.Limit, Used: a.Used})
	}
	slices.SortFunc(f.Quotas, func(a, b Quota) int { return a.Compare(b.Resource) })
}

// Redacted takes secrets out of what clouds wrote.
func (f Preflight) Redacted(r *redact.Redactor) Preflight {
	f.Quotas, f.Notes, f.Warnings = slices.Clone(f.Quotas), r.Texts(f.Notes), r.Texts(f.Warnings)
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
