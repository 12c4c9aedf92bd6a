package manifest

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
)

// didYouMean is the fix for a misspelt name: the name that is close to it, or the list of names
// when none is.
func didYouMean(name string, candidates []string) string {
	if c := nearest.Name(name, candidates); c != "" {
		return "did you mean " + c + "?"
	}
	if len(candidates) == 0 {
		return ""
	}
	const most = 12
	if len(candidates) > most {
		return "known are " + strings.Join(candidates[:most], ", ") + ", …"
	}
	return "known are " + strings.Join(candidates, ", ")
}
