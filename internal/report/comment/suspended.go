package comment

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
)

// suspension says that the plan's stack is suspended, or will be suspended after the merge. It returns "" otherwise.
func (p Page) suspension() string {
	if p.Plan == nil || p.Plan.Suspended == "" {
		return ""
	}
	return "**The stack is suspended** with this: " + quote(p.Plan.Suspended) + ". After the merge, nothing is carried out and drift is not corrected, until a commit or the configuration ends the suspension.\n\n"
}

// suspended reports whether the merged changes are not carried out because the stack is suspended.
func suspended(pass engine.Pass) bool {
	return pass.First.Suspended != "" && !pass.Last.InSync()
}

// differ says how many objects differ from Git.
func differ(pass engine.Pass) string {
	return fmt.Sprintf("suspended, nothing was changed; %s", report.Plural(pass.Last.Differing(), "object")+" different from Git")
}
