// Package pattern provides regular expressions that are compiled when they are first used. The program has more
// than a hundred, and one run uses only a few of them. Together they would need a quarter of the memory of an
// idle agent.
package pattern

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// Pattern is a regular expression. It has the methods of regexp.Regexp that are used often.
type Pattern struct {
	expression string
	compiled   func() *regexp.Regexp
}

// Of returns the pattern of an expression. If the expression cannot be compiled, the first use of the pattern
// panics.
func Of(expression string) *Pattern {
	return &Pattern{expression, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// Regexp returns the compiled expression. The first call compiles it.
func (p *Pattern) Regexp() *regexp.Regexp { return p.compiled() }

func (p *Pattern) String() string { return p.expression }

// MatchString calls the method of regexp.Regexp.
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindStringSubmatch calls the method of regexp.Regexp.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// ReplaceAllString calls the method of regexp.Regexp.
func (p *Pattern) ReplaceAllString(s, by string) string { return p.compiled().ReplaceAllString(s, by) }

// Weight estimates the number of instructions of a stranger's expression, before it is compiled. A few bytes can repeat others a thousand times. The
// time of a comparison is at most proportional to the weight and to the length of the text.
func Weight(expression string) (int, error) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0, err
	}
	return weight(parsed), nil
}

func weight(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += weight(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}
