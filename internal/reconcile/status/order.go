package status

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// partsFirst orders workloads so that each comes after its parts, and after the objects that its definition shows.
func partsFirst(list []plan.Workload) []plan.Workload {
	parent := map[manifest.Key]manifest.Key{}
	for _, w := range list {
		parent[w.Key] = w.Parent
	}
	depth := func(key manifest.Key) (n int) {
		for key = parent[key]; key != (manifest.Key{}) && n <= len(list); key = parent[key] {
			n++
		}
		return n
	}
	defined := func(w plan.Workload) int {
		if w.Want.Defined() != nil {
			return 1
		}
		return 0
	}
	return shownFirst(slices.SortedStableFunc(slices.Values(list), func(a, b plan.Workload) int {
		return cmp.Or(cmp.Compare(depth(b.Key), depth(a.Key)), cmp.Compare(defined(a), defined(b)))
	}))
}

// shownFirst orders workloads so that each one comes after its own parts, and after the workloads that its definition names by externalRef,
// because its status can show them. If such references form a circle, one of them counts for nothing.
func shownFirst(list []plan.Workload) []plan.Workload {
	byKey, parts := map[manifest.Key]plan.Workload{}, map[manifest.Key][]plan.Workload{}
	for _, w := range list {
		byKey[w.Key] = w
		parts[w.Parent] = append(parts[w.Parent], w)
	}
	out, begun := make([]plan.Workload, 0, len(list)), map[manifest.Key]bool{}
	var take func(w plan.Workload)
	take = func(w plan.Workload) {
		if begun[w.Key] {
			return
		}
		begun[w.Key] = true
		for _, p := range parts[w.Key] {
			take(p)
		}
		if w.Want.Defined() != nil {
			external := w.Want.Definition.External
			for _, id := range slices.Sorted(maps.Keys(external)) {
				if other, ok := byKey[external[id]]; ok {
					take(other)
				}
			}
		}
		out = append(out, w)
	}
	for _, w := range list {
		take(w)
	}
	return out
}
