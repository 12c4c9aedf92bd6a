// Package nearest finds the name that a person most likely meant.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// Name is the candidate that a person most likely meant by name; "" when none is
// close.
func Name(name string, candidates []string) string {
	best, least := "", 0
	for _, c := range candidates {
		if strings.EqualFold(name, c) {
			return c
		}
		most := min(3, max(1, min(len(name), len(c))/3))
		d := Distance(strings.ToLower(name), strings.ToLower(c), most)
		if d <= most && (best == "" || d < least) {
			best, least = c, d
		}
	}
	return best
}

// Names lists up to n candidates in the order of their likeness to name,
// leaving out those that have hardly anything in common with it.
func Names(name string, candidates []string, n int) []string {
	type scored struct {
		name string
		far  int
	}
	var list []scored
	most := max(3, min(len(name)/2, 20))
	for _, c := range candidates {
		far := Distance(strings.ToLower(name), strings.ToLower(c), most)
		if far <= most || sharePrefix(name, c) {
			list = append(list, scored{c, far})
		}
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, s := range list {
		if len(out) < n && !slices.Contains(out, s.name) {
			out = append(out, s.name)
		}
	}
	return out
}

// sharePrefix reports whether two names begin alike, as versions of one image do.
func sharePrefix(a, b string) bool {
	const letters = 4
	return len(a) >= letters && len(b) >= letters && strings.EqualFold(a[:letters], b[:letters])
}
