package mark

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// CheckMetadata reports items of spec.resource.metadata that are given twice, or that the mark
// needs. called is the manifest's field for the name of an item.
func CheckMetadata(r *kind.Report, called string, names []string) {
	seen := map[string]bool{}
	for i, name := range names {
		field := fmt.Sprintf("spec.resource.metadata[%d].%s", i, called)
		switch {
		case seen[name]:
			r.Problem(field, "is given twice", "keep one of them")
		case ownertext.ReservedKey(name):
			r.Problem(field, "is reserved for the owner mark", "choose another "+called)
		}
		seen[name] = true
	}
}
