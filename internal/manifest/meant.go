package manifest

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
)

// didYouMean returns the advice for a misspelt name. It is the name with a similar spelling, or all names if there is
// none.
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
