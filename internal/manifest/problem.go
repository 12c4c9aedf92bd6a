package manifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// maxPrinted is the maximum number of problems that Problems.Error prints, because nobody reads more.
const maxPrinted = 100

// Problem is one thing that a person must correct in a manifest.
type Problem struct {
	Origin Origin
	Key    Key    // zero if the object is not known yet
	Field  string // a path such as spec.resource.rules[2].protocol; empty for the whole document
	What   string // the mistake
	Fix    string // how to correct it; may be empty
}

// String returns one line, safe to print: "file:line: Kind/name: field: what; fix".
func (p Problem) String() string {
	parts := make([]string, 0, 4)
	for _, s := range []string{p.Origin.String(), p.Key.String(), p.Field, p.What} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	line := strings.Join(parts, ": ")
	if p.Fix != "" {
		line += "; " + p.Fix
	}
	return printable.Line(line)
}

// Problems are all problems of a load, as an error.
type Problems []Problem

// Error returns one line for each problem, sorted by file and line. After the first hundred problems, it returns only the
// number of the remaining ones.
func (ps Problems) Error() string {
	sorted := ps.Sorted()
	lines := make([]string, 0, min(len(sorted), maxPrinted+1))
	for i, p := range sorted {
		if i == maxPrinted {
			lines = append(lines, fmt.Sprintf("and %d more", len(sorted)-maxPrinted))
			break
		}
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// Sorted returns a copy that is sorted by file, then by line.
func (ps Problems) Sorted() Problems {
	sorted := slices.Clone(ps)
	slices.SortStableFunc(sorted, func(a, b Problem) int { return a.Origin.Compare(b.Origin) })
	return sorted
}

// Err returns the problems as an error, or nil if there are none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
