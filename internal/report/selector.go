package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// Requirement is one condition of a label selector.
type Requirement struct {
	Label  string
	Values []string // the label must have one of these values; nil allows any value
	Not    bool     // the condition is negated; then an object without the label meets it
}

// Meets reports whether labels meet the condition.
func (r Requirement) Meets(labels map[string]string) bool {
	value, has := labels[r.Label]
	return (has && (r.Values == nil || slices.Contains(r.Values, value))) != r.Not
}

// ParseSelector parses conditions separated by commas. A condition is label=value, label!=value, label in (a,b), label notin (a,b), label or
// !label.
func ParseSelector(text string) (list []Requirement, err error) {
	if text == "" {
		return nil, nil
	}
	for _, term := range terms(text) {
		r, ok := parseRequirement(strings.TrimSpace(term))
		if !ok {
			return nil, fmt.Errorf("%s is not a condition; write label=value, label!=value, label in (a,b), label notin (a,b), label or !label, several with commas between", printable.Name(strings.TrimSpace(term)))
		}
		list = append(list, r)
	}
	return list, nil
}

// terms splits a text at the commas outside of parentheses.
func terms(text string) (list []string) {
	begin, within := 0, false
	for i, c := range text {
		switch {
		case c == '(', c == ')':
			within = c == '('
		case c == ',' && !within:
			list = append(list, text[begin:i])
			begin = i + 1
		}
	}
	return append(list, text[begin:])
}

// parseRequirement parses one condition. ok is false if the condition or its label is not valid.
func parseRequirement(term string) (r Requirement, ok bool) {
	if r, ok = splitRequirement(term); !ok {
		return r, false
	}
	return r, r.Label != "" && strings.Trim(r.Label, labelCharacters) == ""
}

const labelCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./"

func splitRequirement(term string) (r Requirement, ok bool) {
	if set, closed := strings.CutSuffix(term, ")"); closed {
		before, values, opened := strings.Cut(set, "(")
		words := strings.Fields(before)
		if !opened || len(words) != 2 || words[1] != "in" && words[1] != "notin" {
			return r, false
		}
		r = Requirement{Label: words[0], Not: words[1] == "notin"}
		for value := range strings.SplitSeq(values, ",") {
			r.Values = append(r.Values, strings.TrimSpace(value))
		}
		return r, true
	}
	if label, value, compared := strings.Cut(term, "="); compared {
		label, r.Not = strings.CutSuffix(label, "!")
		r.Label, r.Values = strings.TrimSpace(label), []string{strings.TrimSpace(strings.TrimPrefix(value, "="))}
		return r, true
	}
	r.Label, r.Not = strings.CutPrefix(term, "!")
	r.Label = strings.TrimSpace(r.Label)
	return r, true
}
