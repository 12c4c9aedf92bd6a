package preflight

import (
	"math"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Quota is a plan's demand of one resource, and the quota for it.
type Quota struct {
	kind.Resource
	Takes, Gives int64
	Limit, Used  int64 // below 0: no limit, and use unknown
}

// Free is what the quota leaves, the largest number if it has no limit; ok is false if the use is
// unknown.
func (q Quota) Free() (free int64, ok bool) {
	switch {
	case q.Limit < 0:
		return math.MaxInt64, true
	case q.Used < 0:
		return 0, false
	}
	return max(0, q.Limit-q.Used), true
}

// Short is by how much the quota is too small for the plan as a whole; 0 if it is large enough, or
// if the use is unknown.
func (q Quota) Short() int64 {
	free, ok := q.Free()
	if !ok || q.Takes <= 0 {
		return 0
	}
	return max(0, max(0, q.Takes-q.Gives)-free)
}

// Tight reports whether there is room only after the plan has deleted something.
func (q Quota) Tight() bool {
	free, ok := q.Free()
	return ok && q.Short() == 0 && q.Takes > free
}

// Compare adds the plan's demands of one service's resources. held is the project's use, for quotas
// whose use the service does not report; nil if it is unknown.
func (f *Findings) Compare(d Demand, service string, allowed kind.Allowances, held kind.Amounts) {
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
