// Package nearest finds the name that a person most likely meant, and sorts names by how likely they were meant.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// Name returns the candidate that a person most likely meant by name. It returns "" if no candidate is similar.
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

// Names returns up to n candidates, sorted by their similarity to name. Candidates that have hardly anything in
// common with name are left out.
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

// Order returns all candidates, sorted by their similarity to name. The caller must limit their number, because
// each costs a comparison of up to 253 by 40 letters.
func Order(name string, candidates []string) []string {
	const most = 40
	out := make([]string, len(candidates))
	for i, s := range ranked(name, candidates, most) {
		out[i] = s.name
	}
	return out
}

// scored is a candidate, and its distance in letters.
type scored struct {
	name string
	far  int
}

// ranked returns the candidates, the most similar first. Distances above most letters are not exact.
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

// sharePrefix reports whether two names have the same beginning, as versions of one image do.
func sharePrefix(a, b string) bool {
	const letters = 4
	return len(a) >= letters && len(b) >= letters && strings.EqualFold(a[:letters], b[:letters])
}
