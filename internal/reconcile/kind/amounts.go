package kind

import (
	"cmp"
	"math"
)

// Resource is something that a service gives out by quota, or that has a price.
type Resource struct {
	Service string // catalog type
	Name    string // as the service's quota calls it: "gigabytes"
	Type    string // which of them, by its name in the cloud: "ssd"; "" for all together
}

// Compare orders resources by service, name and type.
func (r Resource) Compare(other Resource) int {
	return cmp.Or(cmp.Compare(r.Service, other.Service), cmp.Compare(r.Name, other.Name), cmp.Compare(r.Type, other.Type))
}

// Amounts are how many of what, none below 0. What of a resource is of a type is counted
// under the type and under all together.
type Amounts map[Resource]int64

// Add adds n, which may be below 0. A sum stops at the largest number there is, and at 0.
func (a Amounts) Add(r Resource, n int64) {
	switch sum := a[r]; {
	case n > 0 && sum > math.MaxInt64-n:
		a[r] = math.MaxInt64
	default:
		a[r] = max(0, sum+n)
	}
}

// AddAll adds all of other.
func (a Amounts) AddAll(other Amounts) {
	for r, n := range other {
		a.Add(r, n)
	}
}

// FactsOf are the facts of what a spec refers to: by the names of manifests in the spec
// of a manifest, by IDs in what the cloud shows. They are zero of what is not known.
type FactsOf func(kind, ref string) Facts

// Allowance is what a service says of a quota.
type Allowance struct {
	Limit int64 // below 0 for none
	Used  int64 // with what is reserved; below 0 where the service does not say
}

// Allowances are what one service says, by the names of its quotas. Those of a type
// are named NAME_TYPE.
type Allowances map[string]Allowance
