package failure

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// MaxName is the number of bytes of a name that an error shows.
const MaxName = 80

const (
	maxHints    = 5
	maxCompared = 2000 // number of names that are compared; a repository can have 100,000 branches
)

// NearestHint returns the names that exist, in brackets, the most similar ones first. The argument what is the
// plural of the kind of name, such as "branches".
func NearestHint(what, name string, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf(" (there are no %s)", what)
	}
	ordered := nearest.Order(name, names[:min(len(names), maxCompared)])
	var shown []string
	for _, n := range ordered[:min(len(ordered), maxHints)] {
		shown = append(shown, strconv.Quote(printable.Clip(n, MaxName)))
	}
	hint := fmt.Sprintf(" (%s: %s", what, strings.Join(shown, ", "))
	if more := len(names) - len(shown); more > 0 {
		hint += fmt.Sprintf(" and %d more", more)
	}
	return hint + ")"
}
