// Package externalsecret is the kind ExternalSecret: a Secret whose values are in a store outside of the repository. It expands into a
// Secret with the same name, so everything that can refer to a Secret can refer to it.
//
// The package does not read stores. The values are read before an object expands (package resolve), from stores that only the stack's
// configuration names.
package externalsecret

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Spec says where the values of the Secret are.
type Spec struct {
	Store string           `json:"store" rule:"required,min=1,max=63" doc:"Name of a store in spec.secretStores of the stack's configuration."`
	Data  map[string]Value `json:"data" rule:"required,min=1,max=64" doc:"Entries of the Secret, and the places of their values in the store." example:"{password: {path: db/password}}"`
}

// Value is the place of one value.
type Value struct {
	Path    string `json:"path" rule:"required,min=1,max=512" doc:"Where the value is, below the folder or prefix that the configuration allows. files: the path of a file. vault: the path of a secret. barbican: the ID or the name of a secret." example:"db/password"`
	Field   string `json:"field,omitempty" rule:"max=256" doc:"Field of the secret; only for vault, and required there." example:"password"`
	Version int    `json:"version,omitempty" rule:"min=0,max=1000000000" doc:"Version of the secret, only for vault; the newest if left out."`
}

// Kind returns the kind ExternalSecret.
func Kind() *kind.Kind {
	k := typed.Workload[Spec]{
		Info: kind.Info{
			Group: "stackreeve.dev", Version: "v1alpha1", Kind: "ExternalSecret", Parts: []string{"Secret"},
			Doc: "A Secret whose values are not in the repository. The agent reads them from a store that its configuration names: a folder of its machine, Vault or Barbican. Other objects refer to it as they refer to a Secret with its name.",
		},
		Validate: validate,
		Expand:   func(*Spec, *kind.Expansion) {},
	}.Kind()
	decode := k.Decode
	k.Decode = func(obj *manifest.Object) (kind.Desired, []manifest.Problem) {
		d, problems := decode(obj)
		d.Stored = stored(d.Spec.(*Spec))
		return d, problems
	}
	k.Expand = func(d *kind.Desired, e *kind.Expansion) {
		data := make(map[string][]byte, len(d.Stored.Data))
		for name, value := range d.Stored.Data {
			data[name] = []byte(value)
		}
		e.Child("Secret", d.Key.Name, map[string]any{"data": data})
	}
	return k
}

func stored(s *Spec) *kind.Stored {
	of := &kind.Stored{Store: s.Store, Entries: make(map[string]kind.StoredEntry, len(s.Data))}
	for name, value := range s.Data {
		of.Entries[name] = kind.StoredEntry(value)
	}
	return of
}

func validate(s *Spec, r *kind.Report) {
	for _, name := range slices.Sorted(maps.Keys(s.Data)) {
		if what := wrongPath(s.Data[name].Path); what != "" {
			r.Problem(fmt.Sprintf("spec.data[%s].path", name), what, "write a relative path such as db/password")
		}
	}
}

// wrongPath says why a path could leave the place that the configuration allows, or is not valid; "" if it may be used.
func wrongPath(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) || r == '\\' || r == unicode.ReplacementChar }) {
		return "contains a character that no path has"
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return "has an empty part, or the part . or .."
		}
	}
	return ""
}
