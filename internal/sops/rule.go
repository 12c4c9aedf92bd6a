package sops

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// rule says which values of a file are encrypted. Without a rule in the block, parseRule returns one that encrypts
// every value whose path has no part that ends with "_unencrypted".
type rule struct {
	suffix  string
	pattern *regexp.Regexp
	weight  int  // of the pattern, as in [pattern.Weight]
	comment bool // the pattern is compared with comments instead of names
	inverse bool // the matching values are the ones in clear text
}

const defaultSuffix = "_unencrypted"

// ruleFields are the fields of the block of which a file has at most one.
var ruleFields = []struct {
	name string
	rule rule
}{
	{"unencrypted_suffix", rule{inverse: true}}, {"encrypted_suffix", rule{}},
	{"unencrypted_regex", rule{inverse: true}}, {"encrypted_regex", rule{}},
	{"unencrypted_comment_regex", rule{inverse: true, comment: true}}, {"encrypted_comment_regex", rule{comment: true}},
}

func parseRule(n *yaml.Node) (rule, error) {
	found := rule{suffix: defaultSuffix, inverse: true}
	given := ""
	for _, f := range ruleFields {
		written := text(n, f.name)
		if written == "" {
			continue
		}
		if given != "" {
			return found, errors.New("it has both " + given + " and " + f.name)
		}
		given, found = f.name, f.rule
		if strings.HasSuffix(f.name, "suffix") {
			found.suffix = written
			continue
		}
		compiled, weight, err := compile(written)
		if err != nil {
			return found, errors.New(f.name + " " + err.Error())
		}
		found.pattern, found.weight = compiled, weight
	}
	return found, nil
}

func compile(expression string) (compiled *regexp.Regexp, weight int, err error) {
	if len(expression) > maxPattern {
		return nil, 0, errors.New("is longer than " + strconv.Itoa(maxPattern) + " bytes")
	}
	if weight, err = pattern.Weight(expression); err == nil && weight > maxWeight {
		return nil, 0, errors.New("repeats too much")
	}
	if err == nil {
		compiled, err = regexp.Compile(expression)
	}
	if err != nil {
		return nil, 0, errors.New("is not a valid regular expression")
	}
	return compiled, weight, nil
}

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

// remarks are the comments before a value at one depth.
type remarks struct {
	matching int  // the number of comments that the pattern matches
	last     bool // whether it matches the last one
}

// encrypts reports whether a value is encrypted. named is true if a name on its path matches. For a comment in clear text,
// last is true: its own text is the last of the comments, and is no reason to encrypt it.
func (r *rule) encrypts(named bool, comments []remarks, last bool) bool {
	if !r.comment {
		return named != r.inverse
	}
	matching := 0
	for _, level := range comments {
		matching += level.matching
	}
	if own := last && comments[len(comments)-1].last; own && !r.inverse {
		matching--
	}
	return (matching > 0) != r.inverse
}
