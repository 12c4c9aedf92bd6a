package validate

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// maxCompared is the maximum number of names that are compared with the name of a lookup.
const maxCompared = 1000

// lookups returns a note for each object that will be looked up in the cloud, if the repository declares other
// objects of its kind. The name may be a misspelt name of one of those.
func lookups(want []kind.Desired) (list []manifest.Problem) {
	type scope struct{ kind, namespace string }
	declared, parents := map[scope][]string{}, map[manifest.Key]manifest.Key{}
	for i := range want {
		d := &want[i]
		if parents[d.Key] = d.Parent; d.Parent == (manifest.Key{}) {
			at := scope{d.Key.Kind, d.Key.Namespace}
			declared[at] = append(declared[at], d.Key.Name)
		}
	}
	for i := range want {
		d := &want[i]
		names := declared[scope{d.Key.Kind, d.Key.Namespace}]
		if !d.Unmanaged || d.Parent == (manifest.Key{}) || d.Import == nil || d.Import.ID != "" || d.Import.Hint != "" || len(names) == 0 {
			continue
		}
		by := d.Parent
		for parents[by] != (manifest.Key{}) {
			by = parents[by]
		}
		p := manifest.Problem{Origin: d.Origin, Key: by, What: fmt.Sprintf("names %s, which is not in the repository, so the agent will look for it in the cloud", d.Key)}
		if near := nearest.Name(d.Key.Name, names[:min(len(names), maxCompared)]); near != "" {
			p.Fix = "did you mean " + near + "?"
		}
		list = append(list, p)
	}
	return list
}
