// Package nearest finds the name that a person most likely meant, and puts names in
// the order of how likely they were meant.
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
	most := max(3, min(len(name)/2, 20))
	var out []string
	for _, s := range ranked(name, candidates, most) {
		if similar := s.far <= most || sharePrefix(name, s.name); similar && len(out) < n && !slices.Contains(out, s.name) {
			out = append(out, s.name)
		}
	}
	return out
}

// Order is all candidates in the order of their likeness to name. The caller bounds how
// many there are: each costs a comparison of up to 253 by 40 letters.
func Order(name string, candidates []string) []string {
	const most = 40
	out := make([]string, len(candidates))
	for i, s := range ranked(name, candidates, most) {
		out[i] = s.name
	}
	return out
}

// scored is a candidate, and how many letters it is away.
type scored struct {
	name string
	far  int
}

// ranked are the candidates, the nearest first. Beyond most letters distances are not
// exact.
func ranked(name string, candidates []string, most int) []scored {
	list := make([]scored, len(candidates))
	for i, c := range candidates {
		list[i] = scored{c, Distance(strings.ToLower(name), strings.ToLower(c), most)}
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name))
	})
	return list
}

// sharePrefix reports whether two names begin alike, as versions of one image do.
func sharePrefix(a, b string) bool {
	const letters = 4
	return len(a) >= letters && len(b) >= letters && strings.EqualFold(a[:letters], b[:letters])
}
