package kind

import (
	"cmp"
	"math"
)

// Resource is something that a service limits by a quota, or that has a price.
type Resource struct {
	Service string // catalog type
	Name    string // the name of the quota in its service: "gigabytes"
	Type    string // the type of the objects, such as the volume type "ssd"; "" for all types together
}

// Compare orders resources by service, name and type.
func (r Resource) Compare(other Resource) int {
	return cmp.Or(cmp.Compare(r.Service, other.Service), cmp.Compare(r.Name, other.Name), cmp.Compare(r.Type, other.Type))
}

// Amounts are the used or needed amounts of resources, never below 0. An amount of a typed resource
// is counted twice: for that type, and for all types together.
type Amounts map[Resource]int64

// Add adds n, which may be below 0. The sum stays between 0 and the largest int64.
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

// FactsOf returns the facts of an object that a spec refers to. For the spec of a manifest, ref is
// the name of a manifest. For a spec that the cloud shows, it is an ID. The facts of an unknown
// object are zero.
type FactsOf func(kind, ref string) Facts

// Allowance is one quota as its service reports it.
type Allowance struct {
	Limit int64 // below 0 for no limit
	Used  int64 // includes reserved amounts; below 0 if the service does not report it
}

// Allowances are the quotas that one service reports, by their names. The quota of a type is named
// NAME_TYPE.
type Allowances map[string]Allowance
