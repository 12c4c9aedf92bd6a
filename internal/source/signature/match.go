package signature

import (
	"strings"
)

// Match reports whether a text matches a list of patterns, separated by commas, in which * and ? are wildcards. A text that matches a
// pattern after a ! does not match the list.
func Match(patterns, text string) bool {
	found := false
	for one := range strings.SplitSeq(patterns, ",") {
		pattern, not := strings.CutPrefix(one, "!")
		if !matchOne(pattern, text) {
			continue
		}
		if not {
			return false
		}
		found = true
	}
	return found
}

// matchOne reports whether a text matches a pattern. It goes back only to the last *, so its time is at most the product of both lengths.
func matchOne(pattern, text string) bool {
	p, t, star, from := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
