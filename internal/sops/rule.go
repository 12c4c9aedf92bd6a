package sops

import (
	"regexp"
	"strings"
)

// rule says which values of a file are encrypted. The zero value encrypts every value whose path has no part that ends
// with "_unencrypted".
type rule struct {
	suffix  string
	pattern *regexp.Regexp
	comment bool // the pattern is compared with comments instead of names
	inverse bool // the matching values are the ones in clear text
}

const defaultSuffix = "_unencrypted"

// names reports whether the name of a key matches.
func (r *rule) names(name string) bool {
	switch {
	case r.comment:
		return false
	case r.pattern != nil:
		return r.pattern.MatchString(name)
	}
	return strings.HasSuffix(name, r.suffix)
}

// encrypts reports whether a value is encrypted. named is true if a name on its path matches. For a comment, last is true,
// because no comment is encrypted for its own text.
func (r *rule) encrypts(named bool, comments [][]string, last bool) bool {
	if !r.comment {
		return named != r.inverse
	}
	for i, level := range comments {
		for j, text := range level {
			own := last && i == len(comments)-1 && j == len(level)-1
			if (!own || r.inverse) && r.pattern.MatchString(text) {
				return !r.inverse
			}
		}
	}
	return r.inverse
}
