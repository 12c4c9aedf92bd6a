// Package pattern has regular expressions that are compiled when they are first used. The program has more than a hundred,
// which together were a quarter of what an idle agent keeps; one run uses a few of them.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. It has those methods of regexp.Regexp that are used often.
type Pattern struct {
	expression string
	compiled   func() *regexp.Regexp
}

// Of is the pattern of an expression. The first use of one that cannot be compiled panics.
func Of(expression string) *Pattern {
	return &Pattern{expression, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// Regexp compiles it, the first time.
func (p *Pattern) Regexp() *regexp.Regexp { return p.compiled() }

func (p *Pattern) String() string { return p.expression }

// MatchString is regexp's.
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindStringSubmatch is regexp's.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// ReplaceAllString is regexp's.
func (p *Pattern) ReplaceAllString(s, by string) string { return p.compiled().ReplaceAllString(s, by) }
