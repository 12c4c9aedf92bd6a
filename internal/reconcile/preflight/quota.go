package preflight

import (
	"math"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Quota is a plan's demand of one resource, and the quota for it.
type Quota struct {
	kind.Resource
	Needed, Freed int64
	Limit, Used   int64 // Limit below 0 means no limit; Used below 0 means that the use is unknown
}

// Free returns the unused part of the quota, or the largest number if there is no limit. ok is false if the use is unknown.
func (q Quota) Free() (free int64, ok bool) {
	switch {
	case q.Limit < 0:
		return math.MaxInt64, true
	case q.Used < 0:
		return 0, false
	}
	return max(0, q.Limit-q.Used), true
}

// Short returns the amount by which the quota is too small for the plan as a whole. It returns 0 if the quota is large enough, or if the
// use is unknown.
func (q Quota) Short() int64 {
	free, ok := q.Free()
	if !ok || q.Needed <= 0 {
		return 0
	}
	return max(0, max(0, q.Needed-q.Freed)-free)
}

// Tight reports whether the quota is large enough only after the plan has deleted something.
func (q Quota) Tight() bool {
	free, ok := q.Free()
	return ok && q.Short() == 0 && q.Needed > free
}

// Compare adds a Quota for each of the plan's demands of one service's resources. held is the project's use. It is needed for quotas whose
// use the service does not report. It is nil if it is unknown.
func (f *Findings) Compare(d Demand, service string, allowed kind.Allowances, held kind.Amounts) {
	for r, n := range d.Needed {
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
		f.Quotas = append(f.Quotas, Quota{Resource: r, Needed: n, Freed: d.Freed[r], Limit: a.Limit, Used: a.Used})
	}
	slices.SortFunc(f.Quotas, func(a, b Quota) int { return a.Compare(b.Resource) })
}
