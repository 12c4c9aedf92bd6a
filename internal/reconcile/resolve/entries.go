package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// CloudField is where a manifest names an entry of clouds.yaml.
const CloudField = "spec.cloudCredentialsRef.cloudName"

// Entries are the entries of clouds.yaml that a stack's configuration allows. Without
// further ones whatever a manifest names means the main one.
type Entries struct {
	Main    string // "" for one without a name
	Further []string
}

// choose finds the entry through which an object is made.
func (e Entries) choose(d *kind.Desired) []manifest.Problem {
	switch {
	case len(e.Further) == 0 || d.Cloud == "" || d.Cloud == e.Main:
	case slices.Contains(e.Further, d.Cloud):
		d.Entry = d.Cloud
	default:
		allowed := slices.Clone(e.Further)
		if e.Main != "" {
			allowed = slices.Insert(allowed, 0, e.Main)
		}
		return []manifest.Problem{d.Problem(CloudField, fmt.Sprintf("names the entry %s, which the stack's configuration does not allow", printable.Name(d.Cloud)),
			"name one of "+strings.Join(allowed, ", ")+", remove cloudCredentialsRef for the stack's main entry, or have the entry added to spec.clouds of the stack's configuration")}
	}
	return nil
}
